import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { localEnvironment } from '../../plugins/ground/config-environment.js'
import { Ok } from '../../schemas/common.js'
import { CommandFailed, textOf, type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { firstLine, passwordIn } from '../values.js'

const passwordVariables = ['SVC_WEBUI_PASSWORD', 'SVC_WEBUI_PASSWORD_FILE']

export const run: Run = async (asked) => {
  const file = textOf(asked, 'password-file')
  const password = file === undefined ? await typed() : passwordIn(file)
  const service = await serviceOrDatabase()
  try {
    // The service itself knows whether its environment names one.
    if (!service.isRunning && passwordVariables.some((name) => localEnvironment()[name] !== undefined)) {
      throw new CommandFailed('The password is set by SVC_WEBUI_PASSWORD. Change it there')
    }
    await service.ask('/api/console/password', Ok, { password })
  } finally {
    await service.close()
  }
  return {
    text: [
      'The password is set. Every sign-in has ended: sign in with the new password.',
      ...(service.isRunning ? [] : ['It counts unless the service is started with --password-file or SVC_WEBUI_PASSWORD.'])
    ].join('\n'),
    value: { ok: true }
  }
}

/** What is typed, twice and unseen; or the first line of what another program writes. */
async function typed (): Promise<string> {
  if (!process.stdin.isTTY) return some(firstLine(await text(process.stdin)))
  const unseen = new Writable({ write: (_chunk, _encoding, done) => { done() } })
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true })
  const ask = async (words: string): Promise<string> => {
    process.stderr.write(words)
    const answer = await terminal.question('')
    process.stderr.write('\n')
    return answer
  }
  try {
    const first = some(await ask('New password: '))
    if (await ask('Once more: ') !== first) throw new CommandFailed('The two are not the same. The password stays as it is')
    return first
  } finally {
    terminal.close()
  }
}

function some (password: string): string {
  if (password === '') throw new CommandFailed('The password is empty. It stays as it is')
  return password
}
