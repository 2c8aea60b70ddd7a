import { reason, type Reason, sentencesOf } from '../../../reasons/index.js'
import { type Boundary } from '../sandbox/index.js'
import { type PlacedSpec, type RunIO } from './engine.js'

type AskingRun = Pick<PlacedSpec, 'attended' | 'runId'>
type Io = Pick<RunIO, 'askApproval'>

/** Returns the system messages. Rules that a command changed apply once a person has accepted the change. Throws Cancelled. */
export async function acceptedRules (
  spec: AskingRun & Pick<PlacedSpec, 'system' | 'changedRules'>, io: Io, boundary: Boundary | undefined
): Promise<string[]> {
  const { changedRules, system } = spec
  if (changedRules === undefined) return system
  const isAccepted = await accepts(spec, io, 'rules', changedRules.diff, reason('rules_changed'))
  if (!isAccepted) return system
  boundary?.accepted(changedRules.records)
  return changedRules.accepted
}

/**
 * Returns the text of the custom command behind the turn's message, if it was changed without asking and a person has accepted it now;
 * else null. Throws Cancelled.
 */
export async function acceptedCommand (
  spec: AskingRun & Pick<PlacedSpec, 'unacceptedCommand'>, io: Io, boundary: Boundary | undefined
): Promise<string | null> {
  const { unacceptedCommand: command } = spec
  if (command === undefined) return null
  const isAccepted = await accepts(spec, io, 'command', command.content, reason('command_changed', { name: command.name, path: command.path }))
  if (!isAccepted) return null
  boundary?.accepted(command.records)
  return command.accepted
}

/** Asks a person to accept exactly this content. Resolves with false if the turn is unattended. Throws Cancelled. */
export async function accepts ({ attended, runId }: AskingRun, io: Io, what: string, command: string, said: Reason): Promise<boolean> {
  if (!attended) return false
  const answer = await io.askApproval({
    command,
    description: sentencesOf([said]),
    reasons: [said],
    patternKey: 'instructions:changed',
    patternKeys: ['instructions:changed'],
    maxScope: 'once',
    personal: true
  }, { callId: `${what}-${runId}`, beside: false })
  return answer !== null && answer.choice !== 'deny'
}
