import { type Redirection } from 'unbash'
import { changingService } from '../program-call.js'
import { isBlockDevice, isHarmlessDevice, isOfService } from '../paths.js'
import { type Walk } from './walk.js'
import { expandWord, isKnown, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** Judges what a redirection reads or writes: a file, a device, a host. The state tracks the input that a command gets from it. */
export function judgeRedirection (shell: Walk, redirection: Redirection): void {
  const { state, findings, files } = shell
  if (redirection.descriptor?.type === 'FileDescriptorVariable') {
    const [name = '', ...subscript] = redirection.descriptor.name.split('[')
    state.set(name, [unknown])
    state.calculate(subscript.join('['))
  }
  if (redirection.type !== 'Redirect' || redirection.target === undefined) return
  const { operator, target } = redirection
  if (operator === '<&' || (operator === '>&' && /^(?:\d+-?|-)$/.test(target.value))) return
  const access = operator === '<' ? 'read' : 'write'
  if (access === 'write' && !isHarmlessDevice(target.value)) findings.mayChange(operator)
  for (const word of expandWord(target, state)) {
    const host = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(word)?.[1]
    if (host !== undefined) {
      findings.add(`net:${host}`)
      findings.mayChange(word)
    } else if (access === 'write' && (isBlockDevice(word) || files.paths(word).some(isBlockDevice))) findings.forbid('overwrite a disk')
    else if (isKnown(word)) judgeFile(shell, word, access)
    else if (access === 'write') findings.cannotRead(reason('unknown_file'))
    else findings.add('read:protected')
  }
}

function judgeFile ({ files, contacts, around, findings }: Walk, word: string, access: 'read' | 'write'): void {
  if (access === 'read') return files.read(word)
  files.written(word)
  contacts.writes(word)
  if (files.paths(word).some((path) => isOfService(path, false, around.boundaries))) findings.forbid(changingService)
}
