// A translation program: trains, translates, scores, and describes its model. What is compiled into it stands
// in the struct below; formwork_add_trainer(...) in CMake builds the same file with other values.
#include <formwork/policy/norm_placement/norm_placement.hpp>
#include <formwork/policy/optimizer/adam.hpp>

#if defined(FORMWORK_TRAINER_HEADER)
#include FORMWORK_TRAINER_HEADER
#endif

#include "translate/commands.hpp"
#include "translate/messages.hpp"

#ifndef FORMWORK_TRAINER_PLACEMENT
#define FORMWORK_TRAINER_PLACEMENT formwork::pre_norm
#endif
#ifndef FORMWORK_TRAINER_OPTIMIZER
#define FORMWORK_TRAINER_OPTIMIZER formwork::adamw
#endif
#ifndef FORMWORK_TRAINER_SCHEDULE
#define FORMWORK_TRAINER_SCHEDULE examples::named_schedule
#endif
#ifndef FORMWORK_TRAINER_D_MODEL
#define FORMWORK_TRAINER_D_MODEL 128
#endif
#ifndef FORMWORK_TRAINER_D_FF
#define FORMWORK_TRAINER_D_FF 256
#endif
#ifndef FORMWORK_TRAINER_HEADS
#define FORMWORK_TRAINER_HEADS 4
#endif
#ifndef FORMWORK_TRAINER_ENCODER_LAYERS
#define FORMWORK_TRAINER_ENCODER_LAYERS 4
#endif
#ifndef FORMWORK_TRAINER_DECODER_LAYERS
#define FORMWORK_TRAINER_DECODER_LAYERS 4
#endif

struct compiled : formwork::config {
  static constexpr formwork::dims size{.d_model = FORMWORK_TRAINER_D_MODEL,
                                       .d_ff = FORMWORK_TRAINER_D_FF,
                                       .heads = FORMWORK_TRAINER_HEADS,
                                       .encoder_layers = FORMWORK_TRAINER_ENCODER_LAYERS,
                                       .decoder_layers = FORMWORK_TRAINER_DECODER_LAYERS};
  using placement = FORMWORK_TRAINER_PLACEMENT;
  using optimizer = FORMWORK_TRAINER_OPTIMIZER;
  using schedule = FORMWORK_TRAINER_SCHEDULE;
};

namespace {

constexpr const char* help =
    "Trains Transformers for translation and uses them.\n"
    "usage: translate COMMAND [OPTIONS]\n"
    "  train     learn a model from two text files, one the translation of the other\n"
    "  run       translate the standard input\n"
    "  score     compare translations with references: BLEU and chrF\n"
    "  summary   describe the compiled model\n"
    "translate COMMAND --help has the options and examples. A first run of a minute:\n"
    "  translate train --embedded --vocab-size 1000 --lr 2e-3 --steps 1000 --out runs/first\n"
    "  echo 'um halb drei' | translate run --model runs/first\n"
    "Exit status: 0 done; 2 a sentence on standard error says what is wrong; 75 stopped by a signal, goes on "
    "when\n"
    "the same command is given again.\n";

int dispatch(std::vector<std::string> arguments) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  if (command == "--help" || command == "-h" || command == "help") {
    std::fputs(help, stdout);
    return 0;
  }
  if (!arguments.empty()) arguments.erase(arguments.begin());
  if (command == "train")
    return examples::train<compiled, compiled::optimizer, compiled::schedule>(arguments);
  if (command == "run") return examples::run<compiled>(arguments);
  if (command == "score") return examples::score<compiled>(arguments);
  if (command == "summary") return examples::summary<compiled, compiled::optimizer>(arguments);
  if (command.empty())
    formwork::fail("a command is missing: train, run, score or summary; see translate --help");
  formwork::fail("there is no command '", command, "'",
                 examples::suggestion(command, {"train", "run", "score", "summary"}));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    examples::hold_standard_streams();
    const int status = dispatch({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) formwork::fail("standard output cannot be written");
    return status;
  } catch (const examples::unknown_option& e) {
    const std::string owner = examples::owner_of(e.name);
    examples::say(owner.empty() ? e.what() : e.begin + owner);
    return 2;
  } catch (const std::exception& e) {
    examples::say(examples::sentence_of(e));
    return 2;
  }
}
