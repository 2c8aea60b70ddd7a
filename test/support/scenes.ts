import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import { type Test } from '#test'
import { type StartOptions } from './app.js'
import { box, log } from './app-page.js'
import { eventually, startChat, type ChatService } from './chat.js'
import { emptyRepository } from './git-repository.js'
import { run } from './page.js'

/** A screen as a person may see it: its address, and the actions until it shows. */
export interface Scene { name: string, path: string, on?: 'desk' | 'phone', act?: (page: Page) => Promise<unknown> }

const answer = `Most of the time goes into rows that have not changed. Kept as finished text, each is made once:

| Way | Time | Requests a second |
|---|---:|---:|
| Rows written out each time | 17.2 ms | 59 |
| Whole answer kept by version | 0.2 ms | 4,770 |

1. Keep the answer in \`lists.ts\`.
2. Drop it when a row changes.

\`\`\`ts
const kept = new Map<number, Kept>()
export const at = (version: number) => kept.get(version) ?? keep(version)
\`\`\`

> Nothing else reads the rows.`
const before = 'app.get(\'/api/list\', async (request, reply) => {\n  const rows = await db.all()\n  return { rows: rows.map(toWire) }\n})\n'
const after = 'app.get(\'/api/list\', async (request, reply) => {\n  const list = lists.at(version())\n  return reply.type(\'json\').send(list.bytes)\n})\n'

/**
 * Starts a service with two chats, of which one waits for an approval, changed files, a task and facts; and returns the
 * screens to see there.
 */
export async function startScenes (t: Test, options: StartOptions = {}): Promise<{ service: ChatService, scenes: Scene[] }> {
  const service = await startChat(t, options)
  const root = join(service.workspace, 'site')
  const repository = emptyRepository(root)
  repository.write('routes/list.ts', before)
  repository.write('README.md', '# The site\n\nA list of everything.\n')
  repository.commitAll('First')
  const talk = async (title: string, message: string, model: string): Promise<string> => {
    const id = await service.newSession({ workspace: root, model, model_provider: 'openai' })
    await service.post('/api/session/rename', { session_id: id, title })
    await service.send(id, message)
    return id
  }
  const write = { tool: 'write_file', args: { path: 'routes/list.ts', content: after } }
  const done = await talk('Faster list endpoint', 'The list of 1,000 chats takes 80 ms. Can it be under 5?', service.model([write], [{ text: answer }]))
  await service.respond(done, 'once', (await service.pending(done)).approval_id)
  await eventually('the answer', async () => (await service.session(done)).active_stream_id === null)
  const waits = await talk('Clean up', 'Remove what the build leaves behind', service.model(run('rm -rf build && echo gone')))
  await service.pending(waits)
  await service.post('/api/crons/create', { name: 'Morning look', prompt: 'Look at the commits since yesterday', schedule: 'every weekday at 7' })
  await service.post('/api/memory/write', { section: 'memory', content: '- The list is in routes/list.ts\n- Backups are kept for 30 days\n' })
  writeFileSync(join(root, 'notes.md'), '# Notes\n')
  return { service, scenes: scenesOf(done, waits) }
}

const scenesOf = (done: string, waits: string): Scene[] => [
  { name: 'start', path: '/', act: async (page) => await box(page).waitFor() },
  { name: 'conversation', path: `/session/${done}`, act: shown },
  { name: 'changes', path: `/session/${done}`, on: 'desk', act: async (page) => { await shown(page); await side(page, 'Changes'); await page.getByRole('tabpanel').getByText('list.ts').first().waitFor() } },
  { name: 'editor', path: `/session/${done}`, on: 'desk', act: edited },
  { name: 'approval', path: `/session/${waits}`, act: async (page) => await page.getByRole('button', { name: 'Allow once' }).waitFor() },
  { name: 'inbox', path: '/inbox', act: async (page) => await page.locator('[data-prompt]').first().waitFor() },
  { name: 'tasks', path: '/tasks', act: async (page) => await page.locator('.task-row').first().waitFor() },
  { name: 'memory', path: '/memory', act: async (page) => await page.locator('.memory-document').first().waitFor() },
  { name: 'models', path: '/models', act: async (page) => await page.locator('.provider').first().waitFor() },
  { name: 'appearance', path: '/settings/appearance', act: async (page) => await page.getByRole('heading', { name: 'Appearance' }).first().waitFor() },
  { name: 'found', path: '/settings/appearance', on: 'desk', act: async (page) => { await page.getByRole('searchbox').fill('key'); await page.locator('.settings-hits > li').first().waitFor() } },
  { name: 'palette', path: '/tasks', act: async (page) => {
    await page.locator('.task-row').first().waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').fill('dark')
    await page.getByRole('option').first().waitFor()
  } }
]

async function shown (page: Page): Promise<void> {
  await log(page).getByText('Nothing else reads the rows.').waitFor()
  // The undo of a change, and its numbers, are loaded last.
  await log(page).locator('.change-card').getByRole('button', { name: 'Undo' }).waitFor()
}

/** Opens one of the tabs of the folder panel. */
export async function side (page: Page, name: string): Promise<void> {
  const tab = page.getByRole('tab', { name })
  if (await tab.count() === 0) await page.locator('.side-toggle').click()
  await tab.click()
}

async function edited (page: Page): Promise<void> {
  await shown(page)
  await side(page, 'Files')
  await page.getByRole('tabpanel').getByText('README.md').click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Text of README.md' }).waitFor()
}
