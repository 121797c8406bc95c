// SPDX-License-Identifier: Apache-2.0
// SIGNALBOX_EMULATED sets up a process that has no test in it: mode and settings, separated by commas, for example
// "threaded,delay=200,seed=7,devices=2,memory=4294967296,order=reversed,stream-writes=off,copy-quantum=64,version=12080,
// attribute=16:132,stall-launch=20,stall-copy=3,hang=cuEventSynchronize:1:5000,fail=cuMemAlloc:3:2,fail-launch=8:719".
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace emulated
{
namespace
{
// The parts of a value between colons.
std::vector<std::string> parts_of(const std::string& value)
{
    std::vector<std::string> parts;
    std::istringstream text(value);
    for (std::string part; std::getline(text, part, ':');)
    {
        parts.push_back(part);
    }
    return parts;
}

long number_at(const std::vector<std::string>& parts, const std::size_t at, const long absent)
{
    return at < parts.size() ? std::strtol(parts[at].c_str(), nullptr, 10) : absent;
}

// Faults, by the same names as their control calls. Whether this is one.
bool apply_fault(Driver& driver, const std::string& name, const std::string& value)
{
    const std::vector<std::string> parts = parts_of(value);
    const std::string first = parts.empty() ? "" : parts[0];
    if (name == "hang")
    {
        driver.hangs.push_back({first, number_at(parts, 1, 1), number_at(parts, 2, 0)});
    }
    else if (name == "fail")
    {
        const auto answer = static_cast<CUresult>(number_at(parts, 2, CUDA_ERROR_NOT_SUPPORTED));
        driver.injections.push_back({first, number_at(parts, 1, 1), answer});
    }
    else if (name == "fail-launch")
    {
        driver.launch_failure_in = number_at(parts, 0, 1);
        driver.launch_failure = static_cast<CUresult>(number_at(parts, 1, CUDA_ERROR_LAUNCH_FAILED));
    }
    else if (name == "stall-launch")
    {
        driver.launch_stall_in = number_at(parts, 0, 1);
    }
    else if (name == "stall-copy")
    {
        driver.copy_stall_in = number_at(parts, 0, 1);
    }
    else
    {
        return false;
    }
    return true;
}

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
    else if (name == "version")
    {
        settings.driver_version = static_cast<int>(number);
    }
    else if (name == "attribute")
    {
        const std::vector<std::string> parts = parts_of(value);
        settings.attributes[static_cast<int>(number_at(parts, 0, 0))] = static_cast<int>(number_at(parts, 1, 0));
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

void read_environment(Driver& driver)
{
    const char* text = std::getenv("SIGNALBOX_EMULATED");
    std::istringstream parts(text == nullptr ? "" : text);
    for (std::string part; std::getline(parts, part, ',');)
    {
        const std::size_t equals = part.find('=');
        const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
        if (!apply_fault(driver, part.substr(0, equals), value))
        {
            apply(driver.settings, part.substr(0, equals), value);
        }
    }
}
}
