include("${CMAKE_CURRENT_LIST_DIR}/FormworkDependencies.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/formworkTargets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/formwork_add_experiment.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/formwork_add_trainer.cmake")
