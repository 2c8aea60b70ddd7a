import { type Page } from 'playwright-core'
import { type Test } from 'tap'
import { start, type StartOptions, type TestService } from './app.js'
import { type ChatService, type ScriptedAnswer } from './chat.js'

/** A service whose demo speaks at a pace that can be watched. */
export const demoService = (t: Test, options: StartOptions = {}): Promise<TestService> => start(t, { hosts: 'inproc', demoWordsPerSecond: 200, ...options })

export const password = 'correct horse'
export const counted = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ')

export async function say (page: Page, text: string): Promise<void> {
  await page.fill('#message', text)
  await page.press('#message', 'Enter')
}

export const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })
export const lastAnswer = (page: Page) => page.locator('#settled .row.assistant .text').last()
export const liveText = (page: Page) => page.locator('#running .text:not(.plain)').last()

/** Resolves when the turn that was just started has settled. */
export async function settled (page: Page): Promise<void> {
  await page.locator('#running > *').waitFor({ state: 'detached' })
  await stopButton(page).waitFor({ state: 'hidden' })
}

/** Sends a message and waits for the end of its turn. */
export async function converse (page: Page, text: string): Promise<void> {
  await say(page, text)
  await page.locator('#settled .row.user', { hasText: text }).last().waitFor()
  await settled(page)
}

export const count = async (page: Page, text: string): Promise<number> => (await page.locator('#scroller').innerText()).split(text).length - 1
export const verdict = (verdict: string, reason: string): ScriptedAnswer => [{ text: JSON.stringify({ verdict, reason }) }]
export const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
export const question = (text: string): ScriptedAnswer => [{ tool: 'clarify', args: { question: text } }]
export const sessionWith = (s: ChatService, ...answers: ScriptedAnswer[]): Promise<string> => s.newSession({ model: s.model(...answers), model_provider: 'openai' })
export const sideCard = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Puts what the page tells a screen reader into `window.told`. */
export const listen = (page: Page) => page.evaluate('window.told = []; new MutationObserver(() => told.push(announcer.textContent)).observe(announcer, { childList: true, characterData: true, subtree: true })')
export const told = (page: Page) => page.evaluate<string[]>('window.told')
export const focused = (page: Page) => page.evaluate<string>('document.activeElement.id || document.activeElement.className')
