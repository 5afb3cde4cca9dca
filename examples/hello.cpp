/* hello.cpp - lode from C++17: vectors as input, owners that free their objects, errors as exceptions
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

#include "lode.h"

template <auto free_it> struct freed_by {
    template <typename T> void operator()(T *object) const {
        free_it(object);
    }
};
using owned_job = std::unique_ptr<lode_job, freed_by<lode_job_free>>;
using dataset = std::unique_ptr<lode_dataset, freed_by<lode_dataset_free>>;
using sink = std::unique_ptr<lode_sink, freed_by<lode_sink_free>>;

static void check(const owned_job &job, lode_status status) {
    if (status != LODE_OK) throw std::runtime_error(job ? lode_job_error(job.get()) : "no memory");
}

static dataset make_dataset(const owned_job &job,
                            const std::vector<std::vector<uint32_t>> &baskets) {
    std::vector<uint64_t> offsets{0};
    std::vector<uint32_t> items;
    for (const auto &basket : baskets) {
        items.insert(items.end(), basket.begin(), basket.end());
        offsets.push_back(items.size());
    }
    lode_dataset *data = nullptr;
    check(job, lode_dataset_from_arrays(job.get(), &data, baskets.size(), offsets.data(),
                                        items.data(), nullptr));
    return dataset(data);
}

static void run() {
    lode_mine_options options = LODE_INIT(lode_mine_options);
    options.min_support = {1, 2}; // half of the baskets
    lode_job *made = nullptr;
    lode_status created = lode_job_create(&made, nullptr, nullptr);
    owned_job job(made); // declared first, so freed last
    check(job, created);
    dataset data = make_dataset(job, {{1, 2, 3}, {1, 2}, {2, 3}, {7}});
    lode_sink *counter = nullptr;
    check(job, lode_sink_count(job.get(), &counter));
    sink counted(counter);
    check(job, lode_mine(job.get(), data.get(), &options, counter));
    std::printf("hello: %llu itemsets\n", (unsigned long long)lode_sink_patterns(counter));
}

int main() {
    try {
        run();
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
