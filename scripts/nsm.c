/*
 * assay-nsm: passes one request of the Nitro Security Module from standard input to /dev/nsm and writes the answer to standard
 * output, both in CBOR. Node.js has no ioctl, so an enclave's image carries this beside it:
 *   cc -O2 -static -o /usr/local/bin/assay-nsm nsm.c
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Sizes and layout of the kernel's uapi/linux/nsm.h, which older systems lack. */
#define REQUEST_MAX 0x1000
#define RESPONSE_MAX 0x3000

struct buffer {
  uint64_t address;
  uint64_t length;
};

struct message {
  struct buffer request;
  struct buffer response;
};

#define NSM_IOCTL_RAW _IOWR(0x0A, 0x0, struct message)

static uint8_t request[REQUEST_MAX + 1];
static uint8_t response[RESPONSE_MAX];

int main(void) {
  size_t length = fread(request, 1, sizeof request, stdin);
  if (ferror(stdin) || length == 0 || length > REQUEST_MAX) {
    fputs("assay-nsm: the request is empty or too long\n", stderr);
    return 2;
  }
  int device = open("/dev/nsm", O_RDWR | O_CLOEXEC);
  if (device < 0) {
    perror("assay-nsm: /dev/nsm");
    return 3;
  }
  struct message message = {
      .request = {(uintptr_t)request, length},
      .response = {(uintptr_t)response, sizeof response},
  };
  if (ioctl(device, NSM_IOCTL_RAW, &message) != 0) {
    perror("assay-nsm: ioctl");
    return 4;
  }
  if (message.response.length > sizeof response ||
      fwrite(response, 1, message.response.length, stdout) != message.response.length ||
      fflush(stdout) != 0) {
    fputs("assay-nsm: the answer cannot be written\n", stderr);
    return 5;
  }
  return 0;
}
