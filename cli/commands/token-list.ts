import { Devices } from '../../schemas/auth-devices.js'
import { visible } from '../../services/ground/text/visible.js'
import { type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { columns, moment } from '../words.js'

export const run: Run = async () => {
  const service = await serviceOrDatabase()
  try {
    const answer = await service.ask('/api/auth/tokens', Devices)
    const rows = answer.tokens.map(({ id, name, scope, kind, expires_at: ends, is_expired: isOver, last_used_at: used }) => [
      id, scope, kind, ends === null ? 'never' : isOver ? 'expired' : moment(ends), used === null ? 'never' : moment(used), visible(name)
    ])
    return {
      text: rows.length === 0 ? 'No tokens.' : columns(['ID', 'SCOPE', 'KIND', 'EXPIRES', 'LAST USED', 'NAME'], rows), value: answer
    }
  } finally {
    await service.close()
  }
}
