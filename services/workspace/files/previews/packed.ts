import { optional } from './unreadable.js'

/**
 * Packs checked parts into an archive again, for packages that need one. They do not get the original file: they read
 * archives in their own ways, and could find things in it that the check has not seen.
 */
export async function packed (parts: Map<string, Buffer>): Promise<Buffer> {
  const { zipSync } = await optional('fflate', async () => await import('fflate'))
  return Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 }))
}
