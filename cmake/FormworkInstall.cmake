include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(formwork_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/formwork")

install(TARGETS formwork EXPORT formwork_targets FILE_SET HEADERS)
install(EXPORT formwork_targets NAMESPACE formwork:: FILE formworkTargets.cmake DESTINATION ${formwork_package_dir})

# Nothing in the package depends on the machine, so one install tree serves all of them.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/formworkConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/formworkConfigVersion.cmake cmake/formworkConfig.cmake
              cmake/FormworkDependencies.cmake cmake/formwork_add_experiment.cmake cmake/formwork_add_trainer.cmake
        DESTINATION ${formwork_package_dir})
install(FILES examples/translate.cpp examples/sentencepiece.hpp DESTINATION ${CMAKE_INSTALL_DATADIR}/formwork/examples)
install(DIRECTORY examples/translate DESTINATION ${CMAKE_INSTALL_DATADIR}/formwork/examples)
