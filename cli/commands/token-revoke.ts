import { DevicesRevoked } from '../../schemas/auth-devices.js'
import { type Service } from '../asking.js'
import { CommandFailed, type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { idsOrAll } from '../values.js'
import { counted } from '../words.js'

export const run: Run = async (asked) => {
  const ids = idsOrAll(asked, 'token')
  const service = await serviceOrDatabase()
  try {
    const revoked = ids === 'all' ? await revoke(service, { all: true }) : await revokeEach(service, ids)
    return { text: `${counted(revoked.length, 'token')} revoked.`, value: { ok: true, revoked } }
  } finally {
    await service.close()
  }
}

const revoke = async (service: Service, wanted: { id: string } | { all: true }): Promise<string[]> =>
  (await service.ask('/api/auth/tokens/revoke', DevicesRevoked, wanted)).revoked

/** Revokes tokens one after the other. Throws CommandFailed, which says what was revoked before. */
async function revokeEach (service: Service, ids: readonly string[]): Promise<string[]> {
  const revoked: string[] = []
  for (const id of ids) {
    // A token is revoked together with the one that created it.
    if (revoked.includes(id)) continue
    try {
      revoked.push(...await revoke(service, { id }))
    } catch (error) {
      if (revoked.length === 0 || !(error instanceof CommandFailed)) throw error
      throw new CommandFailed(`${id}: ${error.message}. Revoked before it: ${revoked.join(', ')}`)
    }
  }
  return revoked
}
