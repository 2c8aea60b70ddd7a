import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { localEnvironment, passwordOf } from '../../plugins/ground/config-environment.js'
import { Ok } from '../../schemas/common.js'
import { CommandFailed, textOf, type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { passwordIn } from '../values.js'

const passwordVariables = ['SVC_WEBUI_PASSWORD', 'SVC_WEBUI_PASSWORD_FILE']

export const run: Run = async (asked) => {
  const file = textOf(asked, 'password-file')
  const password = file === undefined ? await readPassword() : passwordIn(file)
  const service = await serviceOrDatabase()
  try {
    // A running service checks its own environment.
    if (!service.isRunning && passwordVariables.some((name) => localEnvironment()[name] !== undefined)) {
      throw new CommandFailed('The password is set by SVC_WEBUI_PASSWORD. Change it there')
    }
    await service.ask('/api/console/password', Ok, { password })
  } finally {
    await service.close()
  }
  return {
    text: [
      'The new password is set. All sign-ins have ended: sign in with the new password.',
      ...(service.isRunning ? [] : ['If you start the service with --password-file or SVC_WEBUI_PASSWORD, that password applies instead.'])
    ].join('\n'),
    value: { ok: true }
  }
}

/** Reads the password: typed twice without being shown, or from standard input as from a file. Throws CommandFailed. */
async function readPassword (): Promise<string> {
  if (!process.stdin.isTTY) return assertNotEmpty(passwordOf(await text(process.stdin)))
  const unseen = new Writable({ write: (_chunk, _encoding, done) => { done() } })
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true })
  const ask = async (words: string): Promise<string> => {
    process.stderr.write(words)
    const answer = await terminal.question('')
    process.stderr.write('\n')
    return answer
  }
  try {
    const first = assertNotEmpty(await ask('New password: '))
    if (await ask('Repeat the new password: ') !== first) throw new CommandFailed('The passwords do not match. The password was not changed')
    return first
  } finally {
    terminal.close()
  }
}

function assertNotEmpty (password: string): string {
  if (password === '') throw new CommandFailed('The new password is empty. The password was not changed')
  return password
}
