import { createTwoFilesPatch } from 'diff'
import { homedir } from 'node:os'
import { reason } from '../../../reasons/index.js'
import { shownPath } from '../tools/containment.js'
import { type ConfiguredAgent } from '../../providers/index.js'
import { Cancelled, type PlacedSpec, type RunIO } from '../engines/engine.js'
import { accepts } from '../engines/acceptance.js'
import { type Boundary, type SealedFile } from '../sandbox/index.js'
import { agentFailure } from './failure.js'
import { ownSettings } from './own-settings.js'

type Unaccepted = SealedFile & { before: string | null }

/** How much one card shows at most, unless a single file is longer. */
const mostChars = 100_000
/** How many cards are shown at most: there may be many files, and files may change while a card is open. */
const mostCards = 12

/**
 * Asks a person to accept the settings for this agent that the workspace contains. The agent reads them itself, and a folder of unknown
 * origin must not decide what it may do. Throws AgentFailure when they are refused or the turn is unattended, and Cancelled.
 */
export async function acceptSettings (
  spec: Pick<PlacedSpec, 'attended' | 'runId' | 'workspace'>, io: RunIO, agent: ConfiguredAgent, boundary: Boundary | undefined
): Promise<void> {
  const seen = new Set<string>()
  const key = ({ path, seal, note }: SealedFile): string => [path, seal, note].join('\0')
  for (let card = 1; card <= mostCards; card++) {
    const files = ownSettings(agent.preset, spec.workspace, boundary?.options.userHome ?? homedir())
    const left = (boundary?.unaccepted(files) ?? files.map((file) => ({ ...file, before: null }))).filter((file) => !seen.has(key(file)))
    if (left.length === 0) return
    const now = cardful(left)
    const isAccepted = await accepts(spec, io, `settings-${card}`, shown(spec.workspace, now),
      reason('settings_unaccepted', { agent: agent.displayName }))
    if (io.signal.aborted) throw new Cancelled()
    if (!isAccepted) throw refused(agent, spec, left)
    await boundary?.acceptFiles(now)
    for (const file of now) seen.add(key(file))
  }
  throw agentFailure(
    'error',
    `The settings for ${agent.displayName} in this workspace keep changing, or are too many to be shown, so the turn did not start.`,
    'Stop what changes them, or remove some of them, and send the message again.'
  )
}

function refused (agent: ConfiguredAgent, { workspace }: Pick<PlacedSpec, 'workspace'>, left: readonly SealedFile[]) {
  const names = left.slice(0, 3).map(({ path }) => shownPath(workspace, path)).join(', ')
  const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
  return agentFailure('error', `This workspace contains settings for ${agent.displayName} (${names}${more}) that nobody has accepted. The agent reads them automatically, so the turn did not start.`,
    'Send a message while you can answer, so that you can accept them, or remove these files.')
}

/** Returns the first files that fit on a card, at least one: what a person accepts is shown in full. */
function cardful (files: readonly Unaccepted[]): readonly Unaccepted[] {
  let chars = 0
  const end = files.findIndex((file, index) => (chars += file.text?.length ?? 0) > mostChars && index > 0)
  return end === -1 ? files : files.slice(0, end)
}

/** Returns each file with its name and its content, or its difference from what was accepted last. */
function shown (workspace: string, files: readonly Unaccepted[]): string {
  const parts = files.map((file) => {
    const name = shownPath(workspace, file.path)
    const content = contentOf(name, file)
    if (content === null) return `${name}: ${file.note}`
    return file.before === null ? `${name}:\n${content}` : `${name}, changed since it was accepted:\n${content}`
  })
  return parts.join('\n\n')
}

function contentOf (name: string, { text, before }: Unaccepted): string | null {
  if (text === null || before === null) return text
  const diff = createTwoFilesPatch(name, name, before, text, 'accepted', 'now', { timeout: 200 })
  return diff ?? text
}
