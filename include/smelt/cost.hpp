#pragma once

#include "smelt/budget.hpp"
#include "smelt/component.hpp"
#include "smelt/convention.hpp"
#include "smelt/flops.hpp"
#include "smelt/kv_cache.hpp"
#include "smelt/parameters.hpp"
#include "smelt/sparsity.hpp"
