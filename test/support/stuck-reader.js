// A thread that reads commands and never comes back from those that say so.
export default ({ command }) => {
  if (command.includes('stuck')) while (true);
  if (command.includes('greedy')) for (const kept = []; ;) kept.push(new Array(1_000_000).fill(command))
  if (command.includes('faulty')) throw new Error('a mistake in the policy')
  return { keys: ['cmd:read'], lasting: [], leaves: [], opaque: null, unfinished: false, forbidden: null, parts: [], partsCut: false, gitRuns: [] }
}
