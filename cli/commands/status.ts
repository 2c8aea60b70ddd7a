import { type Static } from '@sinclair/typebox'
import { readFileSync } from 'node:fs'
import { ConsoleStatus } from '../../schemas/console.js'
import { ownAddress } from '../../services/areas/diagnostics/index.js'
import { asset } from '../../services/ground/assets.js'
import { exitCodes, type Run } from '../command.js'
import { askOf, isListening, notRunning, placesNow, runningProcess } from '../service.js'
import { counted, duration } from '../words.js'

type Status = Static<typeof ConsoleStatus>

export const run: Run = async () => {
  const { stateDir } = placesNow()
  if (!await isListening(stateDir)) {
    const pid = runningProcess(stateDir)
    if (pid === null) return { text: notRunning().message, value: { running: false }, exitCode: exitCodes.notRunning }
    return {
      text: `The service is running (process ${pid}), but does not answer at its socket: it is starting, upgrading its database, stuck, or an older version.`,
      value: { running: true, answers: false, pid },
      exitCode: exitCodes.failed
    }
  }
  const status = await askOf(stateDir)('/api/console', ConsoleStatus)
  const address = ownAddress(status)
  return { text: inWords(status, address), value: { running: true, answers: true, address, ...status } }
}

function inWords (status: Status, address: string): string {
  const { pid, version, uptime_seconds: uptimeS, started_by: by, active_turns: turns, waiting, sign_in: ways } = status
  const { limits = 0 } = waiting
  const { version: own }: { version: string } = JSON.parse(readFileSync(asset('package.json'), 'utf8'))
  return [
    `The service is running at ${address}: version ${version}, process ${pid}, up ${duration(uptimeS)}${by === null ? '' : `, started by ${by}`}.`,
    `${[
      counted(turns, 'running turn'), counted(waiting.approvals, 'waiting approval'), counted(waiting.questions, 'waiting question'),
      ...(limits === 0 ? [] : [`${counted(limits, 'turn')} waiting for the limit of a provider`])
    ].join(', ')}.`,
    ways.length === 0 ? 'No sign-in is needed: anyone who can reach the address can use it.' : `Sign-in: ${ways.join(', ')}.`,
    ...(own === version ? [] : [`This program is version ${own}: restart the service to use it.`])
  ].join('\n')
}
