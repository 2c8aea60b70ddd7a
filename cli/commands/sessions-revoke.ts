import { SignInsRevoked } from '../../schemas/console.js'
import { type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { idsOrAll } from '../values.js'
import { counted } from '../words.js'

export const run: Run = async (asked) => {
  const ids = idsOrAll(asked, 'sessions')
  const service = await serviceOrDatabase()
  try {
    const answer = await service.ask('/api/console/sign-ins/revoke', SignInsRevoked, ids === 'all' ? { all: true } : { ids })
    return { text: `${counted(answer.revoked.length, 'sign-in')} ended.`, value: answer }
  } finally {
    await service.close()
  }
}
