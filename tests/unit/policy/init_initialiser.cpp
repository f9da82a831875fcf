#include <formwork/policy/init/initialiser.hpp>
//
#include <formwork/policy/init/normal.hpp>
#include <formwork/policy/init/xavier.hpp>

using namespace formwork;

static_assert(explain_initialiser<xavier_uniform>() && explain_initialiser<xavier_normal>());
static_assert(explain_initialiser<normal>() && explain_initialiser<truncated_normal>());
static_assert(
    initialiser<decltype([](const parameter_info&, const random_stream&, std::uint64_t) { return 1; })>);
static_assert(!initialiser<int> && !initialiser<decltype([](const parameter_info&) { return 1.0; })>);

// Initialisers are literal types and work with designated initialisers.
constexpr xavier_uniform published{.fairseq_gains = true};
static_assert(published.gain == 1 && (published.validate(), normal{.stddev = 0.02}.validate(), true));
