import { DevicesRevoked } from '../../schemas/auth-devices.js'
import { type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { idsOrAll } from '../values.js'
import { counted } from '../words.js'

export const run: Run = async (asked) => {
  const ids = idsOrAll(asked)
  const service = await serviceOrDatabase()
  try {
    const revoked: string[] = []
    // Revoking a token also revokes the tokens that it created.
    for (const wanted of ids === 'all' ? [{ all: true }] : ids.filter((id) => !revoked.includes(id)).map((id) => ({ id }))) {
      revoked.push(...(await service.ask('/api/auth/tokens/revoke', DevicesRevoked, wanted)).revoked)
    }
    return { text: `${counted(revoked.length, 'token')} revoked.`, value: { ok: true, revoked } }
  } finally {
    await service.close()
  }
}
