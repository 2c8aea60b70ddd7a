// A thread that parses commands and never returns from those that say so.
export default ({ command }) => {
  if (command.includes('stuck')) while (true);
  if (command.includes('greedy')) for (const kept = []; ;) kept.push(new Array(1_000_000).fill(command))
  if (command.includes('faulty')) throw new Error('a mistake in the policy')
  return { keys: ['cmd:read'], lasting: [], leaves: [], opaque: null, unfinished: false, forbidden: null, parts: [], partsCut: false, gitRuns: [] }
}
