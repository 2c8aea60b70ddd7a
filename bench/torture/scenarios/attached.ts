import { setTimeout as delay } from 'node:timers/promises'
import { writeConfig } from '../../../test/support/acp/agents.js'
import { terminal, terminalId as id, type Entry, type Terminal } from '../../../test/support/acp/terminal.js'
import { type Arena } from '../arena.js'
import { createMortal, inTime, type Mortal } from '../mortal.js'
import { type Scenario } from '../scenario.js'

const killsOfRound = { whole: 6, short: 2 } as const
const endLimitMs = 60_000

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is looked into as it is

export const attached: Scenario = {
  name: 'attached',
  says: 'kill -9 of the service, alone or with its agent, in conversations of a terminal that are continued in place, while the terminal writes too',
  short: true,
  async run (arena) {
    for (const keeps of ['claude', 'codex'] as const) await goOn(arena, keeps)
  }
}

async function goOn (arena: Arena, keeps: 'claude' | 'codex'): Promise<void> {
  const { random, tally, short, rounds } = arena
  const theirs = terminal({ folder: `${arena.folder}/${keeps}` }, keeps)
  writeConfig(theirs.folder, theirs.config)
  const mortal = await createMortal(arena, { home: theirs.folder })
  if (await inTime(async () => (await mortal.ask('/api/sessions'))?.body.sessions.some(({ session_id: one }: Row) => one === id), endLimitMs) === null) {
    return tally.wrong(`the conversation of ${keeps} is not listed`)
  }
  if (await mortal.need('/api/session/attach', { session_id: id }) === null) return
  tally.tried('sessions')
  const sent: string[] = []
  const said = ['Weave a carpet', 'Woven.']
  let counter = 0
  for (let kill = 0; kill < rounds * killsOfRound[short ? 'short' : 'whole']; kill++) {
    const message = `say The answer ${++counter}.`
    const started = await inTime(async () => {
      const answer = await mortal.ask('/api/chat/start', { session_id: id, message })
      // The terminal has written meanwhile, which the service reads now.
      return answer?.body.code === 'terminal_wrote' || answer?.body.code === 'terminal_busy' ? null : answer
    }, endLimitMs)
    if (started?.status !== 200) return tally.lost('turns', `${keeps}: "${message}" is answered ${JSON.stringify(started?.body ?? null)}`)
    sent.push(message)
    tally.tried('turns')
    await delay(random.whole(0, 1_500))
    const talk = (): void => {
      if (random.chance(0.5)) return
      const [theirMessage, answer] = [`Terminal ${++counter}`, `Told ${counter}.`]
      theirs.says(theirMessage, answer)
      said.push(theirMessage, answer)
    }
    if (random.chance(0.3)) talk()
    await mortal.kill({ meanwhile: talk })
    await checkRows(arena, mortal, theirs, { keeps, sent, said })
  }
  tally.note(`${keeps}: ${sent.length} messages here, ${said.length / 2} there`)
  await mortal.stop()
}

/**
 * Checks that everything in the file, whoever has written it, is shown once; also what was acknowledged here, and what the terminal wrote.
 */
async function checkRows (
  { tally }: Arena, mortal: Mortal, theirs: Terminal, { keeps, sent, said }: { keeps: string, sent: string[], said: string[] }
): Promise<void> {
  let wrong = 'its turn is not over'
  const isRight = await inTime(async () => {
    const { session } = (await mortal.ask(`/api/session?session_id=${id}`))?.body ?? {}
    if (session === undefined || session.active_stream_id !== null) return false
    const shown = (session.messages as Row[]).map(({ content }) => String(content))
    const written = theirs.lines().map(textIn).filter((text) => text !== '')
    const odd = [...new Set([...written, ...sent, ...said])].filter((text) => shown.filter((one) => one === text).length !== 1)
    wrong = `not shown once: ${JSON.stringify(odd.slice(0, 4))}; shown is ${JSON.stringify(shown.slice(-8))}`
    return odd.length === 0
  }, endLimitMs)
  tally.tried('messages', 1)
  tally.checked(sent.length + said.length)
  if (isRight === null) tally.lost('messages', `${keeps}: ${wrong}`)
}

/** Returns the text of a line in either format. */
function textIn ({ message, payload }: Entry): string {
  const { content, type } = (message ?? payload ?? {}) as Row
  if (payload !== undefined && type !== 'message') return ''
  return typeof content === 'string' ? content : ((content ?? []) as Row[]).map(({ text }) => String(text)).join('\n')
}
