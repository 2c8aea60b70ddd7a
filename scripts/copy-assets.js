// What tsc leaves behind: files the compiled service reads at run time.
import { cpSync, existsSync } from 'node:fs'

for (const folder of ['drizzle', 'web']) {
  if (existsSync(folder)) cpSync(folder, `dist/${folder}`, { recursive: true })
}
cpSync('services', 'dist/services', { recursive: true, filter: (path) => !path.endsWith('.ts') })
cpSync('package.json', 'dist/package.json')
