#include "smelt/checksum.hpp"

#include "catch.hpp"

TEST_CASE("the 64-bit FNV-1a hash of the standard's test strings") {
  // RFC 9923, appendix of test vectors; also www.isthe.com/chongo/tech/comp/fnv
  CHECK(smelt::fnv1a_64("") == "cbf29ce484222325");
  CHECK(smelt::fnv1a_64("a") == "af63dc4c8601ec8c");
  CHECK(smelt::fnv1a_64("foobar") == "85944171f73967e8");
}
