import { MachineList } from '../../schemas/machines.js'
import { visible } from '../../services/ground/text/visible.js'
import { type Run } from '../command.js'
import { runningService } from '../service.js'
import { columns, moment } from '../words.js'

export const run: Run = async () => {
  const answer = await (await runningService()).ask('/api/hosts', MachineList)
  const rows = answer.hosts.map(({ name, state, since, version, load, note }) => [
    visible(name ?? '(this machine)'), state, moment(since), visible(version ?? ''), load === null ? '' : String(load.runs), visible(note ?? '')
  ])
  const problem = answer.enabled
    ? answer.connected ? '' : `\nThe NATS server cannot be reached${answer.error === null ? '.' : `: ${visible(answer.error)}`}`
    : '\nNo other machine can join: SVC_NATS_URL is not set.'
  return { text: `${columns(['NAME', 'STATE', 'SINCE', 'VERSION', 'TURNS', 'NOTE'], rows)}${problem}`, value: answer }
}
