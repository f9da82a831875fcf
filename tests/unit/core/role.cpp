#include <formwork/core/role.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("role: weight decay is for the matrices of products, not for tables, vectors and numbers") {
  for (const role r : {role::query, role::key, role::value, role::output, role::cross_query, role::cross_key,
                       role::cross_value, role::cross_output, role::up, role::down, role::head})
    CHECK(is_matrix(r));
  for (const role r :
       {role::embedding, role::position, role::bias, role::norm_gain, role::norm_bias, role::scalar})
    CHECK_FALSE(is_matrix(r));
}

static_assert(parameter_info{.role = role::norm_gain}.start == 1);
static_assert(parameter_info{.role = role::scalar}.start == 0 && parameter_info{}.start == 0);
static_assert(parameter_info{.role = role::scalar, .start = 0.5}.start == 0.5);
static_assert(parameter_info{.rows = 3, .columns = 5}.size() == 15);
static_assert(parameter_info{.rows = index_t{1} << 20, .columns = index_t{1} << 20}.size() == index_t{1}
                                                                                                  << 40);
