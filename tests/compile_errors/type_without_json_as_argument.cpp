// expect: pawl: this type has no JSON form: use NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE
#include <pawl/pawl.hpp>

struct Mail {
  std::string to;
};

void send(const pawl::Client& client) { client.enqueue("email.send", Mail{"ada"}); }
