#include "tuner/bundle/make_bundle.hpp"

#include <set>

#include <warptune/base/version.hpp>

namespace warptune::tuner {
namespace {

db::BundledTemplate bundled(const spec::TemplateSpec& spec) {
  return {spec.name,
          spec.hash,
          spec.manifest_path.filename().string(),
          spec.manifest_text,
          spec.source_path.filename().string(),
          spec.source,
          spec.headers};
}

// Leaves the runs of the winners that the bundle holds.
void remove_others(db::Store& store, const BundleContent& content) {
  std::set<std::int64_t> kept;
  for (const BundleGroup& group : content.groups)
    for (const db::StoredWinner& winner : group.winners) kept.insert(winner.run);
  std::vector<std::int64_t> others;
  store.visit_runs({}, db::RunParts::head, [&](const db::StoredRun& run) {
    if (!kept.contains(run.id)) others.push_back(run.id);
  });
  store.remove_runs(others, false);
}

}  // namespace

BundleReport make_bundle(const std::vector<db::Store>& sources, const BundleRequest& request,
                         runtime::Compiler& compiler,
                         const std::function<void(std::size_t done, std::size_t total)>& progress) {
  db::BundleWriter writer(request.output);
  for (const db::Store& source : sources) writer.store().merge(source);

  BundleReport report;
  report.content = choose_content(writer.store(), request.kernels);
  const std::vector<KernelJob> jobs = kernel_jobs(report.content, request.jobs);
  const std::vector<db::BundledKernel> kernels =
      compile_jobs(jobs, compiler, [&](std::size_t done) { progress(done, jobs.size()); });

  remove_others(writer.store(), report.content);
  for (const spec::TemplatePtr& spec : report.content.templates) writer.add(bundled(*spec));
  for (const db::BundledKernel& kernel : kernels) {
    writer.add(kernel);
    ArchitectureSize& size = report.architectures[kernel.key.architecture];
    ++size.kernels;
    size.bytes += static_cast<std::int64_t>(kernel.image.size());
  }
  for (const BundleGroup& group : report.content.groups)
    for (const db::CoverRow& row : group.cover.rows) writer.add(row);
  report.bytes = writer.publish({version, compiler.version(), compiler.headers_hash(), 0});
  return report;
}

}  // namespace warptune::tuner
