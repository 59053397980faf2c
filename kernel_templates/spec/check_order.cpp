// When each let and each check of a template can be evaluated; worked out once when it is loaded.
#include "kernel_templates/spec/analysis.hpp"

namespace warptune::spec {

std::vector<Check> make_checks(const TemplateSpec& spec, const Analysis& analysis) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < spec.tunables.size(); ++i) {
    checks.push_back({Check::Kind::numerics, i, TunableMask{1} << i, false});
  }
  auto add = [&](Check::Kind kind, std::size_t index, const Dependencies& depends, bool search_only = false) {
    if ((depends.groups & group::kernel) == 0) checks.push_back({kind, index, depends.tunables, search_only});
  };
  for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
    const ConstraintSpec& constraint = spec.constraints[i];
    add(Check::Kind::constraint, i, analysis.depends(constraint.expression), constraint.search_only);
  }
  for (std::size_t i = 0; i < spec.steps.size(); ++i) {
    const StepSpec& step = spec.steps[i];
    if (!step.memset_buffer.empty()) continue;
    const Dependencies when = analysis.depends(step.when);
    Dependencies block = when, grid = when;
    for (const Expression& size : step.block) block = block | analysis.depends(size);
    for (const Expression& size : step.grid) grid = grid | analysis.depends(size);
    add(Check::Kind::block, i, block);
    if (step.shared_bytes) add(Check::Kind::shared, i, when | analysis.depends(step.shared_bytes));
    add(Check::Kind::grid, i, grid);
  }
  return checks;
}

std::vector<Level> make_levels(const TemplateSpec& spec, const Analysis& analysis, TunableMask subset) {
  const std::vector<Check>& checks = analysis.checks;
  std::vector<Level> levels;
  TunableMask bound = 0;
  std::vector<bool> check_done(checks.size()), let_done(spec.lets.size());
  for (std::size_t tunable = 0; tunable < spec.tunables.size(); ++tunable) {
    const TunableMask bit = TunableMask{1} << tunable;
    if ((subset & bit) == 0) continue;
    bound |= bit;
    Level& level = levels.emplace_back();
    level.tunable = tunable;
    for (std::size_t i = 0; i < spec.lets.size(); ++i) {
      const Dependencies depends = analysis.depends(spec.lets[i].value);
      if (let_done[i] || depends.tunables == 0 || (depends.tunables & ~bound) != 0) continue;
      level.lets.push_back(i);
      let_done[i] = true;
    }
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (check_done[i] || (checks[i].needs & ~bound) != 0) continue;
      level.checks.push_back(i);
      check_done[i] = true;
    }
  }
  return levels;
}

}  // namespace warptune::spec
