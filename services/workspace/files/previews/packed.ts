import { optional } from './unreadable.js'

/**
 * Checked parts as an archive again, for packages that want one. They get this and not the file itself, as they read
 * archives in ways of their own and would find in it what the check has not seen.
 */
export async function packed (parts: Map<string, Buffer>): Promise<Buffer> {
  const { zipSync } = await optional('fflate', async () => await import('fflate'))
  return Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 }))
}
