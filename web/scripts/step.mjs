/// Runs one step of a build: prints what it does at its start, and how long it took at its end.
export async function step(name, what, run) {
  console.log(`${name}: ${what}`);
  const begun = performance.now();
  await run();
  console.log(`${name}: done in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
