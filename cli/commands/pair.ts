import { type Static } from '@sinclair/typebox'
import { networkInterfaces } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Devices, PairingBegun, PairingEnded } from '../../schemas/auth-devices.js'
import { ConsoleStatus } from '../../schemas/console.js'
import { commandLine } from '../../services/ground/command-line.js'
import { linesLost } from '../../services/ground/process/standard-output.js'
import { type Service } from '../asking.js'
import { CommandFailed, textOf, WrongUsage, type CommandLine, type Run } from '../command.js'
import { qrText } from '../qr.js'
import { reachableAddress } from '../reach.js'
import { runningService } from '../service.js'
import { readAll, scopeOf, secondsOf } from '../values.js'

const lookEveryMs = 1_000
const noticeMs = 500
/** A code is valid for five minutes. Measured here, because the clock of the service may differ. */
const servesMs = 5 * 60_000
const proxy = `Set up https (docs/reverse-proxy.md), then use that address: ${commandLine('pair --url https://…')}`
const plain = `This address has no https: others in the network can read everything, and the phone has no notifications and no microphone. ${proxy}`
const unreachable = `Only this machine can reach the service, so no phone can. ${proxy}. Or open the service to the local network: ${commandLine('start --host 0.0.0.0 --password-file <file>')}`

export const run: Run = async (asked) => {
  const { named, ...options } = readAll({
    scope: () => scopeOf(asked, 'approve'),
    expires_in_seconds: () => secondsOf(asked, 'expires-in'),
    named: () => namedAddress(asked)
  })
  const wanted = { name: textOf(asked, 'name') ?? 'Phone', ...options }
  const service = await runningService()
  const address = named ?? await foundAddress(service)
  const pairing = await service.ask('/api/auth/tokens/pair', PairingBegun, wanted)
  const link = new URL(pairing.path, address).href
  const isPlain = link.startsWith('http:')
  if (asked.isJson) {
    return { text: '', value: { id: pairing.id, code: pairing.code, url: link, expires_at: pairing.expires_at, is_https: !isPlain } }
  }
  // Registered before the text says that Ctrl-C ends the wait.
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { stopping.abort() })
  const { NO_COLOR: noColour = '' } = process.env
  console.log([
    qrText(link, process.stdout.isTTY && noColour === ''), '', `Scan the code, or open ${link}`, `In an app, enter the code ${pairing.code} instead.`,
    ...(isPlain ? [plain] : [])
  ].join('\n'))
  // A line by itself, a moment later: only by writing does a program notice that its reader, such as `head`, has gone.
  await delay(noticeMs)
  console.log('Waiting for the device for up to five minutes. Ctrl-C cancels.')
  if (linesLost() > 0) return null
  await completed(service, pairing, stopping.signal)
  return { text: `${wanted.name} is paired.`, value: null }
}

function namedAddress (asked: CommandLine): string | null {
  const url = textOf(asked, 'url')
  if (url === undefined) return null
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new WrongUsage('--url must be an address such as https://agent.example.org')
  return url
}

async function foundAddress (service: Service): Promise<string> {
  const { host, port, allowed_origins: allowedOrigins } = await service.ask('/api/console', ConsoleStatus)
  const found = reachableAddress({ host, port, allowedOrigins }, networkInterfaces())
  if (found === null) throw new CommandFailed(unreachable)
  return found
}

/** Resolves once the device is paired. Throws CommandFailed if the time is up or the person stops waiting, after it has ended the code. */
async function completed (service: Service, { id }: Static<typeof PairingBegun>, gone: AbortSignal): Promise<void> {
  const until = performance.now() + servesMs
  while (!gone.aborted && performance.now() < until) {
    const { tokens } = await service.ask('/api/auth/tokens', Devices)
    if (tokens.some((device) => device.id === id)) return
    await delay(lookEveryMs, undefined, { signal: gone }).catch(() => {})
  }
  await service.ask('/api/auth/tokens/pair/end', PairingEnded, { id })
  throw new CommandFailed(gone.aborted ? 'Cancelled. The code is no longer valid' : 'Nobody used the code in time. Get a new one: ' + commandLine('pair'))
}
