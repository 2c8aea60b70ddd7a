import { reason, type Reason, sentencesOf } from '../../../reasons/index.js'
import { type Boundary } from '../sandbox/index.js'
import { type PlacedSpec, type RunIO } from './engine.js'

type Asked = Pick<PlacedSpec, 'attended' | 'runId'>
type Io = Pick<RunIO, 'askApproval'>

/** The system messages: rules that a command has changed count once a person has seen how. Throws Cancelled. */
export async function acceptedRules (
  spec: Asked & Pick<PlacedSpec, 'system' | 'changedRules'>, io: Io, boundary: Boundary | undefined
): Promise<string[]> {
  const { changedRules, system } = spec
  if (changedRules === undefined) return system
  const isAccepted = await accepts(spec, io, 'rules', changedRules.diff, reason('rules_changed'))
  if (!isAccepted) return system
  boundary?.accepted(changedRules.records)
  return changedRules.accepted
}

/**
 * What the command says that the turn's message is, when it was changed unasked and a person has seen that; else null. Throws Cancelled.
 */
export async function acceptedCommand (
  spec: Asked & Pick<PlacedSpec, 'unacceptedCommand'>, io: Io, boundary: Boundary | undefined
): Promise<string | null> {
  const { unacceptedCommand: command } = spec
  if (command === undefined) return null
  const isAccepted = await accepts(spec, io, 'command', command.content, reason('command_changed', { name: command.name, path: command.path }))
  if (!isAccepted) return null
  boundary?.accepted(command.records)
  return command.accepted
}

/** Whether a person who is there says yes to this very content. Throws Cancelled. */
export async function accepts ({ attended, runId }: Asked, io: Io, what: string, command: string, said: Reason): Promise<boolean> {
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
