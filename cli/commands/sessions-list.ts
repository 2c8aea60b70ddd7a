import { SignIns } from '../../schemas/console.js'
import { type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { columns, moment } from '../words.js'
import { visible } from '../../services/ground/text/visible.js'

export const run: Run = async () => {
  const service = await serviceOrDatabase()
  try {
    const answer = await service.ask('/api/console/sign-ins', SignIns)
    const rows = answer.sign_ins.map(({ id, method, created_at: since, expires_at: until, user_agent: browser }) =>
      [id, method, moment(since), moment(until), visible(browser ?? '')])
    return {
      text: rows.length === 0 ? 'Nobody is signed in.' : columns(['ID', 'SIGN-IN', 'SINCE', 'UNTIL', 'BROWSER'], rows),
      value: answer
    }
  } finally {
    await service.close()
  }
}
