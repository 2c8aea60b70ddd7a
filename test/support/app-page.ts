import { type Locator, type Page } from 'playwright-core'
import { type Test } from '#test'
import { visit, type Visitor } from './browser.js'

// The app as a person navigates it: by roles and names.

/** Waits for the start page or a session page of the browser app. */
export async function visitApp (t: Test, url: string, sessionId: string | null = null, size: { width?: number, height?: number, isPhone?: boolean } = {}): Promise<Visitor> {
  const visitor = await visit(t, appAddress(url, sessionId), size)
  await (sessionId === null ? box : log)(visitor.page).waitFor()
  return visitor
}

export const appAddress = (url: string, sessionId: string | null = null): string => `${url}${sessionId === null ? '' : `/session/${sessionId}`}`

/** The app's message box; the page's own, before the app is drawn, sends nothing yet. */
export const box = (page: Page): Locator => page.locator('.shell:not([data-first])').getByRole('textbox', { name: 'Message', exact: true })
export const log = (page: Page): Locator => page.getByRole('log', { name: 'Conversation' })
/** Messages of the person, as far as they are drawn. */
export const sent = (page: Page): Locator => log(page).getByRole('article', { name: 'You' })
export const answers = (page: Page): Locator => log(page).getByRole('article', { name: 'Answer' })
export const answer = (page: Page): Locator => answers(page).last()
/** The exchange in progress. */
export const running = (page: Page): Locator => log(page).locator('[aria-busy=true]')
/** The answer that is being streamed. */
export const live = (page: Page): Locator => running(page).getByRole('article', { name: 'Answer' }).last()
export const stop = (page: Page): Locator => page.getByRole('button', { name: 'Stop', exact: true })
export const chats = (page: Page): Locator => page.getByRole('navigation', { name: 'Chats' })
export const title = (page: Page): Locator => page.getByRole('banner').getByRole('heading', { level: 1 })
/** The note above the box that says why something failed. */
export const note = (page: Page): Locator => page.locator('#composer-note')
export const approval = (page: Page): Locator => page.getByRole('region', { name: 'Approval needed' })
export const question = (page: Page): Locator => page.getByRole('region', { name: 'Question' })

export async function say (page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Enter')
}

/** Resolves when nothing runs any more. */
export async function settled (page: Page): Promise<void> {
  await running(page).waitFor({ state: 'detached' })
  await stop(page).waitFor({ state: 'hidden' })
}

/** Sends a message and waits for the end of its turn. */
export async function converse (page: Page, text: string): Promise<void> {
  await say(page, text)
  await sent(page).filter({ hasText: text }).last().waitFor()
  await settled(page)
}

/** Picks an item from the menu that a button opens. */
export async function choose (page: Page, opener: Locator, action: string | RegExp): Promise<void> {
  await opener.click()
  await page.getByRole('menuitem', { name: action }).click()
}

/**
 * Returns the browser's errors except those that a test provokes. The search for model servers is switched off in tests, so
 * its refusal is ignored.
 */
export const wrong = (problems: readonly string[], ...provoked: string[]): string[] =>
  problems.filter((problem) => ![...provoked, '/api/providers/discover'].some((part) => problem.includes(part)))

export const count = async (page: Page, text: string): Promise<number> => (await log(page).innerText()).split(text).length - 1
export const focusedName = (page: Page): Promise<string | null> => page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText')

/** Collects everything that a screen reader is told from now on in `window.told`. */
export const listen = (page: Page): Promise<unknown> => page.evaluate(`
  window.told = []
  for (const region of document.querySelectorAll('[aria-live=polite], [aria-live=assertive]')) {
    new MutationObserver(() => told.push(region.textContent.trim())).observe(region, { childList: true, characterData: true, subtree: true })
  }`)
export const told = (page: Page): Promise<string[]> => page.evaluate<string[]>('window.told')
