import { type Page } from 'playwright-core'
import { type Test } from '#test'
import { start, type StartOptions, type TestService } from './app.js'
import { type ChatService, type ScriptedAnswer } from './chat.js'

/** Starts a service whose demo speaks at a pace that can be watched. */
export const demoService = (t: Test, options: StartOptions = {}): Promise<TestService> => start(t, { hosts: 'inproc', demoWordsPerSecond: 200, ...options })

export const counted = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ')

export async function say (page: Page, text: string): Promise<void> {
  // Not the page's own box, which sends nothing until the app is drawn.
  const box = page.locator('.shell:not([data-first]) #message')
  await box.fill(text)
  await box.press('Enter')
}

export const verdict = (verdict: string, reason: string): ScriptedAnswer => [{ text: JSON.stringify({ verdict, reason }) }]
export const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
export const question = (text: string): ScriptedAnswer => [{ tool: 'clarify', args: { question: text } }]
export const sessionWith = (s: ChatService, ...answers: ScriptedAnswer[]): Promise<string> => s.newSession({ model: s.model(...answers), model_provider: 'openai' })
export const sideCard = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
