// npm run screenshots: takes the pictures in docs/pictures of a service of its own with a scripted model. Needs /usr/bin/chromium.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { startModelEndpoint, type ModelStep } from '../test/support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../test/support/server.js'

const pictures = 'docs/pictures'
const program = '/usr/bin/chromium'
const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'
]
const model = 'qwen3-coder'

const list = `import { db } from '../db.js'

export function routes (app) {
  app.get('/api/list', async (request, reply) => {
    const rows = await db.all()
    return { rows: rows.map(toWire) }
  })
}
`
const answer = `Most of the time goes into serialising rows that have not changed. Kept as finished text, each row is made once:

| way | ms | requests/s |
|---|---:|---:|
| columns, then stringify | 17.2 | 59 |
| rows as text, joined | 4.6 | 218 |
| whole answer kept by version | 0.2 | 4,770 |

I would keep the answer by version in \`routes/list.ts\` and drop it when a row changes. This is the change:
`
const edit: ModelStep = {
  tool: 'edit_file',
  args: {
    path: 'routes/list.ts',
    old_string: '    const rows = await db.all()\n    return { rows: rows.map(toWire) }\n',
    new_string: '    const list = lists.at(version())\n    if (list.isKnownTo(request)) return reply.code(304).send()\n    return reply.type(\'json\').send(list.bytes)\n'
  }
}

interface Talk { ask: string, title: string, answers: ModelStep[][] }

/** The run of the scheduled task. */
const morning: Talk = {
  ask: 'Look at the commits since yesterday',
  title: 'Morning look',
  answers: [[{
    text: 'Three commits since yesterday:\n\n- `routes/list.ts` keeps its answer by version; the list is 20 times faster.\n' +
      '- The nightly backup keeps 30 days.\n- A test for the empty list was added. **It needs a look**: it waits two seconds.'
  }]]
}

/** The scripted conversations, by the beginning of their first message: an answer for each model call. */
const talks: Talk[] = [
  { ask: 'Translate the manual into German', title: 'Translate the manual', answers: [[{ text: 'Done: 3 files, 41 pages.' }]] },
  {
    ask: 'Why is the fan loud?', title: 'Why is the fan loud?',
    answers: [[{ text: 'The dust sensor reads 3.1 V, which is more than twice what it should: the filter is full.' }]]
  },
  {
    ask: 'Check the nightly backup', title: 'Nightly backup check', answers: [[{
      tool: 'clarify',
      args: { question: 'There is room for 7 or for 30 days of backups. How many should I keep?', choices: ['7 days', '30 days'] }
    }]]
  },
  {
    ask: 'The list of 1,000 sessions takes 80 ms. Can it be under 5?',
    title: 'Faster list endpoint',
    answers: [
      [{
        reasoning: 'I look at where the list is made first.'
      }, { tool: 'read_file', args: { path: 'routes/list.ts' } }, { tool: 'search_files', args: { pattern: 'toWire' } }],
      [{ text: answer }, edit]
    ]
  }
]

const undo: Array<() => unknown> = []
const teardown = { teardown: (callback: () => unknown) => undo.push(callback), fail: (message?: string) => { throw new Error(message) } }
const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
try {
  mkdirSync(pictures, { recursive: true })
  await draw()
} finally {
  for (const one of undo.toReversed()) await one()
  rmSync(folder, { recursive: true, force: true })
}

async function draw (): Promise<void> {
  const endpoint = await startModelEndpoint({ models: [model] })
  undo.push(() => endpoint.close())
  endpoint.script(({ messages, tools }) => {
    const first = messages.find(({ role }) => role === 'user')?.content
    const calls = messages.filter(({ role }) => role === 'assistant').length
    // A call without tools asks for a title.
    return tools.length === 0 ? [{ text: 'A chat' }] : [...talks, morning].find(({ ask }) => JSON.stringify(first ?? '').includes(ask))?.answers[calls]
  })
  prepare(endpoint.url)
  const server = await spawnServer(teardown, folder)
  const ids: string[] = []
  for (const { ask, title } of talks) {
    ids.push(await talk(server, ask))
    await server.json('/api/session/rename', { session_id: ids.at(-1), title })
  }

  const browser = await chromium.launch({ executablePath: program, args: flags })
  undo.push(() => browser.close())
  const desk = { viewport: { width: 1440, height: 900 } }
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }
  const chat = `${server.url}/session/${ids.at(-1)}`
  await picture(browser, chat, 'desk', desk, beside)
  await picture(browser, chat, 'desk-dark', { ...desk, colorScheme: 'dark' }, beside)
  await picture(browser, chat, 'phone', phone)
  await picture(browser, `${server.url}/inbox`, 'inbox', desk)
  await drawTask(browser, server, desk)
  await drawTour(browser, desk)
}

/** Draws a task with a result. */
async function drawTask (browser: Browser, server: ServerProcess, desk: BrowserContextOptions): Promise<void> {
  const { job } = await server.json('/api/crons/create', {
    name: morning.title, schedule: 'every weekday at 7',
    prompt: `${morning.ask} 7:00 in this folder. Write at most ten lines: what changed, and what needs a look. ` +
      'If there is nothing, answer [SILENT].'
  }) as { job: { id: string } }
  await server.json('/api/crons/run', { job_id: job.id })
  while ((await server.json(`/api/crons/status?job_id=${job.id}`) as { running: boolean }).running) await pause(50)
  await picture(browser, `${server.url}/tasks`, 'tasks', desk, async (page) => {
    await page.getByRole('main').getByText(morning.title).first().click()
    await page.getByText('Three commits since yesterday').first().waitFor()
  }, null)
}

/** Draws a service without a model: its start page, and the first approval of the demo's tour. */
async function drawTour (browser: Browser, desk: BrowserContextOptions): Promise<void> {
  const place = join(folder, 'new')
  mkdirSync(place)
  const server = await spawnServer(teardown, place)
  await picture(browser, server.url, 'start', desk, async (page) => { await page.getByText('Connect a model').first().waitFor() }, null)
  await talk(server, 'Show me a change I approve')
  const { sessions: [session] } = await server.json('/api/sessions') as { sessions: Array<{ session_id: string }> }
  await picture(browser, `${server.url}/session/${session?.session_id}`, 'tour-card', { viewport: { width: 1080, height: 720 } })
}

function prepare (modelUrl: string): void {
  const workspace = join(folder, 'workspace')
  mkdirSync(join(workspace, 'routes'), { recursive: true })
  mkdirSync(join(workspace, 'services'))
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home', 'config.yaml'), `model:\n  default: ${model}\n  base_url: ${modelUrl}\n`)
  writeFileSync(join(workspace, 'routes', 'list.ts'), list)
  writeFileSync(join(workspace, 'README.md'), '# Site\n')
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=Site', '-c', 'user.email=site@localhost', ...args], { cwd: workspace, stdio: 'ignore' })
  }
  git('init', '-b', 'main')
  git('add', '.')
  git('commit', '-m', 'The site as it is')
  writeFileSync(join(
    workspace, 'services', 'lists.ts'
  ), 'export const lists = new Map()\n\n/** Lists as bytes, by version. */\nexport const version = () => lists.size\n')
  writeFileSync(join(workspace, 'README.md'), '# Site\n\nLists are kept finished by version.\n')
}

/** Sends a message in a new chat, and waits until its turn is over or waits for a person. */
async function talk (server: ServerProcess, message: string): Promise<string> {
  const { session } = await server.json('/api/session/new', {}) as { session: { session_id: string } }
  await server.json('/api/chat/start', { session_id: session.session_id, message })
  for (;;) {
    const { prompts } = await server.json('/api/prompts') as { prompts: Array<{ session_id: string }> }
    const status = await server.json(`/api/session/status?session_id=${session.session_id}`) as { active_stream_id: string | null }
    if (status.active_stream_id === null || prompts.some(({ session_id: id }) => id === session.session_id)) return session.session_id
    await pause(50)
  }
}

async function beside (page: Page): Promise<void> {
  if (await page.locator('aside.side').count() === 0) await page.getByRole('button', { name: 'Show files and changes' }).click()
  await page.getByRole('tab', { name: /^Changes/ }).click()
  await page.locator('aside.side').getByText('lists.ts').first().waitFor()
}

async function picture (
  browser: Browser, url: string, name: string, options: BrowserContextOptions, before: (page: Page) => Promise<void> = async () => {},
  button: string | null = 'Allow once'
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-US', ...options })
  const page = await context.newPage()
  await page.goto(url)
  if (button !== null) await page.getByRole('button', { name: button }).first().waitFor()
  await before(page)
  // The typeface is loaded once the window has rested.
  while (!await page.evaluate<boolean>('[...document.fonts].some(({ family }) => family === "Inter")')) await pause(50)
  // Wait for animations to end; nothing may have the focus.
  await page.evaluate('document.activeElement?.blur()')
  await page.waitForTimeout(600)
  // A quarter of the bytes of PNG, and each release contains them. Playwright does not write this format.
  const { data } = await (await context.newCDPSession(page)).send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  writeFileSync(join(pictures, `${name}.webp`), Buffer.from(data, 'base64'))
  await context.close()
}
