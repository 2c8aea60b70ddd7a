/** A code of an error that no case provokes: why not, and the test that meets it instead. */
interface Unprovoked { why: string, test: string }

const terminal = 'another program has to continue the same conversation'
const forge = 'a forge has to answer, and only known ones are asked'
const disk = 'a disk has to be mounted, which a confined process may not do'

/** Codes that fuzzing cannot provoke. Every other code that an operation declares has a case, or comes up by chance. */
export const unprovoked: Readonly<Record<string, Unprovoked>> = {
  attached_session: { why: terminal, test: 'test/foreign/attached.slow.test.ts' },
  attempt_conflict: { why: 'a model has to write files in several worktrees', test: 'test/attempts/attempts.slow.test.ts' },
  attempts_changed: { why: 'a model has to write files in several worktrees', test: 'test/attempts/attempts.slow.test.ts' },
  forge_refused: { why: forge, test: 'test/pulls/client.test.ts' },
  gateway_run_unavailable: { why: 'the process of a turn has to end while its card is open', test: 'test/agent/resilience.test.ts' },
  host_present: { why: 'another machine has to be connected', test: 'test/machines/api.test.ts' },
  mounted: { why: disk, test: 'test/workspace/files/trash.slow.test.ts' },
  no_model: { why: 'the service has to run its demo, and it has a model here', test: 'test/memory/curation.test.ts' },
  no_safety_checkpoint: { why: 'a folder has to exceed the limits of a checkpoint', test: 'test/workspace/checkpoints/checkpoints.slow.test.ts' },
  not_attachable: { why: terminal, test: 'test/foreign/attached.slow.test.ts' },
  not_removed: { why: 'a folder must not be removable, and nothing stops the user that runs this', test: 'test/workspace/files/failures.test.ts' },
  of_plugin: { why: 'a plugin with an MCP server has to be switched on', test: 'test/plugins/plugins.test.ts' },
  other_disk: { why: disk, test: 'test/workspace/files/trash.slow.test.ts' },
  pull_changed: { why: forge, test: 'test/pulls/pulls.slow.test.ts' },
  pull_closed: { why: forge, test: 'test/pulls/pulls.slow.test.ts' },
  running: { why: 'a program has to run from a text file, which only some systems refuse', test: 'test/workspace/files/failures.test.ts' },
  terminal_busy: { why: terminal, test: 'test/foreign/attached.slow.test.ts' },
  terminal_lost: { why: terminal, test: 'test/foreign/attached.slow.test.ts' },
  terminal_wrote: { why: terminal, test: 'test/foreign/attached.slow.test.ts' },
  timeout: { why: 'it takes longer than a case may', test: 'test/workspace/checkpoints/checkpoints.slow.test.ts' },
  worktree_leaving: { why: 'a worktree is removed too fast to be met', test: 'test/sessions/session-files.slow.test.ts' }
}
