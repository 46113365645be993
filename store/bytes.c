/* Checksums and headers of values. CRC-32C uses the processor's own instruction where it has one, else four bits at a time. */
#include "store/bytes.h"

#include <string.h>

#if defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

#if !(defined(__aarch64__) && defined(__ARM_FEATURE_CRC32))
static uint32_t crc_software(uint32_t crc, const unsigned char *at, size_t size) {
  /* The remainders of the sixteen values of half a byte, polynomial 0x82F63B78 (reflected). */
  static const uint32_t remainders[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
  };
  for (; size > 0; size--) {
    crc ^= *at++;
    crc = crc >> 4 ^ remainders[crc & 15];
    crc = crc >> 4 ^ remainders[crc & 15];
  }
  return crc;
}
#endif

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_hardware(uint32_t crc, const unsigned char *at, size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  for (; size > 0; size--) crc = __builtin_ia32_crc32qi(crc, *at++);
  return crc;
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
static uint32_t crc_hardware(uint32_t crc, const unsigned char *at, size_t size) {
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    crc = __crc32cd(crc, word);
  }
  for (; size > 0; size--) crc = __crc32cb(crc, *at++);
  return crc;
}
#endif

uint32_t store_crc32c(const void *data, size_t size) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~crc_hardware(UINT32_MAX, data, size);
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
  return ~crc_hardware(UINT32_MAX, data, size);
#endif
#if !(defined(__aarch64__) && defined(__ARM_FEATURE_CRC32))
  return ~crc_software(UINT32_MAX, data, size);
#endif
}

void store_seal(void *value, size_t size, uint32_t revision) {
  unsigned char *bytes = value;
  memcpy(bytes + offsetof(store_header, revision), &revision, sizeof revision);
  uint32_t checksum = store_crc32c(bytes + sizeof checksum, size - sizeof checksum);
  memcpy(bytes, &checksum, sizeof checksum);
}

bool store_intact(store_bytes value) {
  store_header header;
  if (value.size < sizeof header) return false;
  memcpy(&header, value.data, sizeof header);
  return header.checksum ==
         store_crc32c((const char *)value.data + sizeof header.checksum, value.size - sizeof header.checksum);
}

uint32_t store_revision(store_bytes value) {
  store_header header;
  if (value.size < sizeof header) return 0;
  memcpy(&header, value.data, sizeof header);
  return header.revision;
}
