#include "jitter.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

namespace refdevice {
namespace {

struct Settings {
    unsigned long maximum = 0;
    unsigned long seed = 1;
};

Settings read_settings()
{
    Settings settings;
    if (const char *text = std::getenv("REFDEVICE_JITTER")) {
        char *end = nullptr;
        settings.maximum = std::strtoul(text, &end, 10);
        if (*end == ':') settings.seed = std::strtoul(end + 1, nullptr, 10);
    }
    return settings;
}

}  // namespace

void jitter()
{
    static const Settings settings = read_settings();
    if (settings.maximum == 0) return;
    thread_local std::minstd_rand random(
        static_cast<unsigned>(settings.seed + std::hash<std::thread::id>{}(std::this_thread::get_id())));
    // Most calls go undisturbed, so that a long suite stays fast while every order is still met.
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % settings.maximum));
}

}  // namespace refdevice
