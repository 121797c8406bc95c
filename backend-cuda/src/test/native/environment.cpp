// SPDX-License-Identifier: Apache-2.0
// SIGNALBOX_EMULATED sets up a process that has no test in it: mode and settings, separated by commas, for example
// "threaded,delay=200,seed=7,devices=2,memory=4294967296,order=reversed,stream-writes=off,copy-quantum=64".
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace emulated
{
namespace
{
void apply(Settings& settings, const std::string& name, const std::string& value)
{
    const unsigned long long number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "immediate")
    {
        settings.mode = Mode::immediate;
    }
    else if (name == "threaded")
    {
        settings.mode = Mode::threaded;
    }
    else if (name == "delay")
    {
        settings.max_delay_micros = static_cast<unsigned>(number);
    }
    else if (name == "seed")
    {
        settings.seed = number;
    }
    else if (name == "devices")
    {
        settings.devices = static_cast<int>(number);
    }
    else if (name == "memory")
    {
        settings.memory_bytes = number;
    }
    else if (name == "copy-quantum")
    {
        settings.copy_quantum = number == 0 ? SIZE_MAX : number;
    }
    else if (name == "stream-writes")
    {
        settings.stream_writes = value != "off";
    }
    else if (name == "order")
    {
        settings.order = value == "reversed" ? Order::reversed : value == "permuted" ? Order::permuted : Order::forward;
    }
    else
    {
        std::fprintf(stderr, "SIGNALBOX_EMULATED: '%s' is not a setting of the emulated driver\n", name.c_str());
        std::exit(2);
    }
}
}

void read_environment(Settings& settings)
{
    const char* text = std::getenv("SIGNALBOX_EMULATED");
    std::istringstream parts(text == nullptr ? "" : text);
    for (std::string part; std::getline(parts, part, ',');)
    {
        const std::size_t equals = part.find('=');
        apply(settings, part.substr(0, equals), equals == std::string::npos ? "" : part.substr(equals + 1));
    }
}
}
