#include "tests/support/certificates.hpp"

#include <cstdio>
#include <stdexcept>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace pawl::testing {

namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Certificate = std::shared_ptr<X509>;

void must(bool is_done, const char* what) {
  if (!is_done) throw std::runtime_error{std::string{"OpenSSL did not "} + what};
}

template <typename Write>
void write_file(const std::string& path, const Write& write) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  must(file != nullptr && write(file) == 1, "write a file");
  std::fclose(file);
}

void extend(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  must(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1, "add an extension");
  X509_EXTENSION_free(extension);
}

// Not signed yet.
Certificate new_certificate(const std::string& name, EVP_PKEY* key) {
  static long serial = 0;
  constexpr long kDay = 24L * 60 * 60;
  Certificate certificate{X509_new(), X509_free};
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kDay);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  must(X509_set_pubkey(certificate.get(), key) == 1, "set a key");
  return certificate;
}

Key new_key() {
  Key key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  must(key != nullptr, "make a key");
  return key;
}

void sign_and_write(X509* certificate, X509* issuer, EVP_PKEY* by, const std::string& path) {
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  must(X509_sign(certificate, by, EVP_sha256()) > 0, "sign");
  write_file(path, [&](std::FILE* file) { return PEM_write_X509(file, certificate); });
}

}  // namespace

Authority::Authority(std::string folder, std::string name)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      key_(new_key()),
      certificate_(new_certificate(name_, key_.get())) {
  extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  sign_and_write(certificate_.get(), certificate_.get(), key_.get(), file());
}

CertificateFiles Authority::issue(const std::string& name, const std::string& hosts) const {
  return issue_for(new_key(), name, hosts);
}

CertificateFiles Authority::issue_rsa(const std::string& name) const {
  const Key key{EVP_RSA_gen(2048), EVP_PKEY_free};
  must(key != nullptr, "make a key");
  return issue_for(key, name, kThisMachine);
}

CertificateFiles Authority::issue_for(const Key& key, const std::string& name,
                                      const std::string& hosts) const {
  const CertificateFiles files{.cert = folder_ + "/" + name + ".pem", .key = folder_ + "/" + name + ".key"};
  const Certificate certificate = new_certificate(name, key.get());
  extend(certificate.get(), NID_subject_alt_name, hosts);
  sign_and_write(certificate.get(), certificate_.get(), key_.get(), files.cert);
  write_file(files.key, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return files;
}

}  // namespace pawl::testing
