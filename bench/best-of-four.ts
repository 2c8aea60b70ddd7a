import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startModelEndpoint, type ModelRequest, type ModelStep } from '../test/support/model-endpoint.js'
import { tasks, type Task } from './attempts-tasks.js'
import { readOptions, refuse } from './options.js'
import { startService } from './processes.js'
import { workspaceOf } from './seed.js'
import { call, post } from './wire.js'

// One attempt against the best of four, with a scripted model of known error rates, through the service's own interface. The first attempt
// whose check passed is taken; whether it was right is decided by a test that neither the model nor the service has seen.

const options = readOptions({ command: 'npm run bench:attempts', does: 'Compares one attempt with the best of four, on twenty small tasks.' }, {
  crude: { type: 'string', value: 'share', says: 'answers that fail the check', default: '0.3' },
  subtle: { type: 'string', value: 'share', says: 'answers that only the hidden test detects', default: '0.1' },
  rounds: { type: 'string', value: 'n', says: 'random draws', default: '1' },
  seed: { type: 'string', value: 'text', says: 'repeats the same draws', default: '1' }
})
const [crude, subtle, rounds] = [Number(options.crude), Number(options.subtle), Number(options.rounds)]
if (!(crude >= 0 && subtle >= 0 && crude + subtle <= 1) || !Number.isInteger(rounds) || rounds < 1) {
  refuse('--crude and --subtle take shares of 1, --rounds a whole number.')
}

interface Attempt { session_id: string, state: string, check_passed: boolean | null }
interface Found { state: string, sessions: Attempt[] }
/** The result of a task: the outcome of the check for each attempt, whether one was taken, and whether the hidden test passed. */
interface Outcome { checks: Array<boolean | null>, isTaken: boolean, isRight: boolean }

const models = ['model-1', 'model-2', 'model-3', 'model-4']
const over = new Set(['done', 'failed', 'cancelled', 'stopped'])

/** Returns a number from 0 to 1 that depends only on the seed, the round, the model and the task, not on the order of the calls. */
const drawn = (model: string, round: string, { name }: Task): number =>
  parseInt(hash('sha256', `${options.seed} ${round} ${model} ${name}`).slice(0, 12), 16) / 2 ** 48

function answer ({ model, messages, stream }: ModelRequest): ModelStep[] {
  const text = JSON.stringify(messages)
  const [, round = '', name] = /\[round (\d+)\] \w[^]*?Write it to (\w+)\.mjs/.exec(text) ?? []
  const task = tasks.find((one) => one.name === name)
  if (!stream || task === undefined) return [{ text: '{"best": null, "reasons": {}}' }]
  if (messages.some(({ role }) => role === 'tool')) return [{ text: 'Written.' }]
  const draw = drawn(model, round, task)
  const content = draw < crude ? task.wrong[0] : draw < crude + subtle ? task.wrong[1] : task.right
  return [{ tool: 'write_file', args: { path: task.file, content } }]
}

const home = mkdtempSync(join(tmpdir(), 'bench-attempts-'))
writeFileSync(join(home, 'config.yaml'), JSON.stringify({ model: { provider: 'openai', default: models[0] }, approvals: { allow: ['write:workspace'] } }))
const endpoint = await startModelEndpoint({ models })
endpoint.script(answer)
const service = await startService({ home, modelUrl: endpoint.url })

function passes (folder: string, { name, file }: Task, expression: string): boolean {
  const test = join(home, `hidden-${name}.mjs`)
  writeFileSync(test, `import * as m from ${JSON.stringify(pathToFileURL(join(folder, file)).href)}\nprocess.exit(${expression} ? 0 : 1)\n`)
  try {
    execFileSync(process.execPath, [test], { stdio: 'ignore', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

function repository (folder: string, { file, shown }: Task): void {
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]): void => { execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', ...args], { cwd: folder, stdio: 'ignore' }) }
  writeFileSync(join(folder, 'check.mjs'), `const m = await import('./${file}')\nprocess.exit(${shown} ? 0 : 1)\n`)
  git('init', '--initial-branch=main')
  git('add', '.')
  git('commit', '-m', 'The task')
}

async function solve (task: Task, round: number, count: number): Promise<Outcome> {
  const folder = join(workspaceOf(home), `${task.name}-${round}-${count}`)
  repository(folder, task)
  const { attempts_id: id } = await post(`${service.url}/api/attempts`, {
    workspace: folder, models: models.slice(0, count), count, check: 'node check.mjs',
    message: `[round ${round}] ${task.message}, as the function f of a module. Write it to ${task.file}`
  })
  let found: Found
  do {
    await delay(50)
    found = (await call(`${service.url}/api/attempts?attempts_id=${id}`)).body as Found
  } while (found.state !== 'ready' || !found.sessions.every(({ state }) => over.has(state)))
  const chosen = found.sessions.find(({ check_passed: isPassed }) => isPassed === true) ?? found.sessions[0]
  const taken = chosen === undefined ? null : await call(`${service.url}/api/attempts/take`, 'POST', { attempts_id: id, session_id: chosen.session_id })
  await post(`${service.url}/api/attempts/remove`, { attempts_id: id })
  return {
    checks: found.sessions.map(({ check_passed: isPassed }) => isPassed), isTaken: taken?.status === 200,
    isRight: passes(folder, task, `(${task.shown}) && (${task.hidden})`)
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
/** Returns the expected share of tasks of which some check passes, and the first passing attempt is right. */
const expected = (count: number): number => crude === 1 ? 0 : (1 - crude ** count) * (1 - crude - subtle) / (1 - crude)

try {
  for (const task of tasks) {
    const folder = join(home, 'self', task.name)
    const all = [task.right, ...task.wrong].map((content) => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, task.file), content)
      return [task.shown, `(${task.shown}) && (${task.hidden})`].map((expression) => passes(folder, task, expression)).join()
    })
    if (all.join(' ') !== 'true,true false,false true,false') throw new Error(`The task ${task.name} is not what it says: ${all.join(' ')}`)
  }
  for (const count of [1, models.length]) {
    const outcomes: Outcome[] = []
    const beganMs = performance.now()
    for (let round = 1; round <= rounds; round++) for (const task of tasks) outcomes.push(await solve(task, round, count))
    const right = outcomes.filter(({ isRight }) => isRight).length
    const checks = outcomes.flatMap((outcome) => outcome.checks)
    const lost = outcomes.filter(({ isTaken, checks }) => !isTaken || checks.includes(null)).length
    console.log(`${count === 1 ? 'one attempt ' : 'best of four'}  ${right} of ${outcomes.length} right (${percent(right / outcomes.length)}; ` +
      `${percent(expected(count))} to be expected), checks passed ${checks.filter(Boolean).length} of ${checks.length}, ` +
      `${((performance.now() - beganMs) / outcomes.length / 1_000).toFixed(1)} s a task${lost === 0 ? '' : `, ${lost} not checked or not taken`}`)
    if (lost > 0) process.exitCode = 1
  }
} finally {
  await service.stop()
  await endpoint.close()
  rmSync(home, { recursive: true, force: true })
}
