/**
 * What the documents promise, in their own words, and what tries to break it. Every promise of the README is here; of the other
 * documents, those about reliability.
 */
export interface Promised {
  document: 'README.md' | 'docs/features.md' | 'docs/interface.md' | 'docs/openai.md' | 'docs/operations.md'
  /** A passage of the document; its line breaks may differ there. */
  words: string
  /** Names of scenarios. */
  scenarios: string[]
  /** Files of tests that try it, and fail if it is broken; for promises that no kill or fault can break. */
  tests?: string[]
}

const readme = (words: string, ...scenarios: string[]): Promised => ({ document: 'README.md', words, scenarios })
const features = (words: string, ...scenarios: string[]): Promised => ({ document: 'docs/features.md', words, scenarios })
const inInterface = (words: string, ...scenarios: string[]): Promised => ({ document: 'docs/interface.md', words, scenarios })
const openai = (words: string, ...scenarios: string[]): Promised => ({ document: 'docs/openai.md', words, scenarios })
const operations = (words: string, ...scenarios: string[]): Promised => ({ document: 'docs/operations.md', words, scenarios })

const tested = (words: string, ...tests: string[]): Promised => ({ document: 'README.md', words, scenarios: [], tests })

export const promises: Promised[] = [
  readme('The service stores every frame in SQLite before a client sees it, so a dropped connection, a closed laptop or a killed process loses ' +
    'nothing that was shown.', 'kill-service', 'kill-host', 'outliving', 'reconnects', 'scale'),
  tested('A client opens a session, sends a message, and follows the turn live', 'test/docs/pasted.slow.test.ts', 'test/web/app-conversation.long.test.ts'),
  {
    ...tested('It works with OpenAI, Anthropic, Gemini, OpenRouter, Ollama and any OpenAI-compatible server, and with agents of other makers such as ' +
      'Claude Code and Codex.', 'test/providers/providers.test.ts', 'test/providers/agents.test.ts'),
    scenarios: ['model-faults', 'hanging-model', 'peers', 'attached']
  },
  tested('The agent asks before it changes anything; you answer on any device.', 'test/agent/policy/policy-flow.test.ts',
    'test/fuzz/parts.slow.test.ts'),
  tested('You need Linux and Node.js 22.14 or newer, but no compiler', 'test/packaging/package.long.test.ts'),
  tested('brings a newer Node.js if yours is older', 'test/packaging/package.long.test.ts'),
  tested('A built-in demo asks first, then writes a small file.', 'test/providers/demo-tour.test.ts', 'test/web/app-first-minute.long.test.ts'),
  tested('It follows fixed rules, says so in every reply, and uses the same turn loop, tools and approvals as a real model.',
    'test/providers/demo-tour.test.ts'),
  tested('That model answers from now on.', 'test/web/app-first-minute.long.test.ts'),
  { ...tested('a stream that is cut and resumed without a gap', 'test/docs/pasted.slow.test.ts'), scenarios: ['reconnects', 'silent-readers'] },
  tested('any address but loopback requires a sign-in', 'test/auth/auth.test.ts'),
  tested('The service serves the documentation at `/help`, with a search.', 'test/docs/help.test.ts'),
  features('partial answers survive a crash', 'kill-service', 'kill-host', 'model-faults'),
  features('a turn that waits for your answer still waits after a restart', 'kill-service', 'clock-jumps', 'machines'),
  features('Nothing outside the folder can be reached.', 'links'),
  features('Each run is a turn in its own session, and each slot runs only once, even across restarts.', 'schedule'),
  features('built and tried beside the running version, and rolled back if the new one does not start', 'updates'),
  features("A conversation in one of their folders runs there, with that machine's keys, and continues while the service restarts.", 'machines'),
  features('the terminal then shows what you added', 'attached'),
  features('a crash or an update ends no turns', 'outliving', 'queues'),
  inInterface('A client that reconnects with it misses nothing and gets nothing twice: turns continue after the last frame, even if the ' +
    'service was killed', 'reconnects', 'outliving'),
  {
    ...inInterface('This holds while the first request is still running, after a restart or crash of the service, and after the turn it ' +
      'started has ended or was cancelled.'),
    tests: ['test/idempotency/client-ids.test.ts', 'test/idempotency/kill.long.test.ts']
  },
  inInterface('Both survive a restart of the service, with their ids.', 'kill-service'),
  { ...inInterface('a code that works once, within five minutes', 'saves'), tests: ['test/auth/devices.test.ts'] },
  inInterface('`{ok, imported: [{name, path, replaced}]}`: all of them, or none.', 'saves'),
  inInterface('Each slot (a time at which a job is due) runs once, even through restarts, kills and changes of the clock.', 'schedule'),
  inInterface('the run is `interrupted`: it never counts as passed.', 'checks'),
  inInterface('A message leaves the queue in the transaction that stores it in the transcript, so it begins once, also if the service is killed.',
    'queues'),
  inInterface('A stop of the service ends no goal: at the next start it continues, or is judged if the last verdict was still to come.', 'goals'),
  inInterface('The answer is sent when all attempts are stored, so a stop of the service loses none; turns that the stop cut off say so.', 'attempts'),
  inInterface('or `interrupted` if the service stopped', 'checks'),
  openai('A response that was begun with `background: true` continues, also across a restart of the service.', 'responses'),
  operations('is a row in the database: none of these events ends it.', 'parked'),
  operations('SIGTERM and SIGINT stop it within 5 s', 'stops'),
  operations('The service commits each portion, so a migration that is killed continues at the next start.', 'migrations'),
  operations('An older version refuses a database that a newer one has begun to migrate.', 'newer-database'),
  operations('If the log cannot be written (its disk is full, its reader is gone or blocked), log lines are dropped; the service continues.',
    'unwritable-log'),
  operations('When an answer reaches a limit, the turn ends with `apperror`, type `answer_too_large`. The service keeps what it has ' +
    'received and closes the connection.', 'model-faults', 'peers'),
  operations('If a server hangs, the turn fails after two minutes, including retries', 'hanging-model'),
  operations('No token is lost or doubled, and clients resume at their cursor.', 'outliving', 'reconnects', 'silent-readers'),
  operations('the turn ends and keeps its partial answer', 'kill-service', 'kill-host', 'commands', 'leftovers', 'scale', 'two-servers'),
  operations('A kill at any moment loses nothing that the service has acknowledged: it is there after the next start, once.', 'saves'),
  operations('Half-written files in a home are removed some seconds after the start.', 'saves', 'leftovers'),
  operations("the agent's output after the last synced write may be lost; nothing that you typed, decided or configured is", 'power-cut'),
  operations('It copies the database as it is at one moment, while turns keep streaming.', 'backup'),
  operations('Every action has its entry.', 'audit'),
  operations('The service retries failed deliveries with pauses of up to two hours, also after a restart; they delay nothing else.', 'peers'),
  operations('Reading works, open streams stay and new ones attach. Requests that must store something are refused with 503.', 'disk-full',
    'limits'),
  operations('Everything resumes automatically when there is room.', 'disk-full', 'limits'),
  operations('Only writers are affected: they wait up to 5 s, then get 503 with `Retry-After`.', 'locked-database'),
  operations('Whatever is open continues. Requests that must open a file, a program or a connection get 503, `no_handles` and ' +
    '`Retry-After` until handles are free again.', 'limits'),
  operations('A check shortly after each start finds them, and so does each backup.', 'state-folder'),
  operations('The start ends with one sentence and exit code 1.', 'state-folder', 'two-servers'),
  operations('You may set the wall clock: time limits use a monotonic clock.', 'clock-jumps'),
  operations('Until step 4 the update does not touch the running service, so a failure costs no downtime', 'updates'),
  operations('The previous version then serves again, with everything that was acknowledged', 'updates'),
  operations('After a kill, the next start completes the update if the new files were in place, and reverts it otherwise', 'updates'),
  operations('Migrations run at start, forward only.', 'old-database', 'migrations')
]
