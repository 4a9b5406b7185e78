// pipeline [ADDRESS]: processes many images concurrently. Resizing runs in this process, eight images at a
// time. Publishing is a task that any worker may run.

#include <iostream>
#include <numeric>

#include <pawl/pawl.hpp>

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "memory:");

  pawl::Worker worker{pawl};
  worker.task("image.publish", [](const std::string& image) { return "https://example.org/" + image; });
  worker.workflow("gallery", [](pawl::Workflow& wf, const std::vector<std::string>& images) {
    const auto sizes = wf.map(images, [](const std::string& image) { return image.size() * 1000; },
                              {.name = "resize", .parallel = 8});

    std::vector<pawl::Pending<std::string>> published;
    for (const auto& image : images) published.push_back(wf.spawn<std::string>("image.publish", image));
    const auto addresses = wf.all(published);

    const auto bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    return pawl::Json{{"first", addresses.front()}, {"published", addresses.size()}, {"bytes", bytes}};
  });
  worker.start();

  std::vector<std::string> images;
  for (int i = 0; i < 20; ++i) images.push_back("image-" + std::to_string(i) + ".png");
  std::cout << pawl.start("gallery", images).result<pawl::Json>() << std::endl;
  return 0;
}
