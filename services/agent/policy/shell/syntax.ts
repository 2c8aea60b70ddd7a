import { type Case, forEachChild, type Function, type If, type SyntaxNode } from 'unbash'
import { type Budget } from '../budget.js'

/** What it costs to walk the syntax of a command line, and what the syntax shows before anything in it is read as a command. */

/** Returns how many parentheses are open at most, quoted or not. It is checked before parsing, so it cannot know quotes. */
export function openParentheses (text: string): number {
  let open = 0
  let most = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === 0x28) most = Math.max(most, ++open)
    else if (character === 0x29 && open > 0) open--
  }
  return most
}

/** Pays for a node. Words and expansions are parsed when they are reached: a nested one is read once for each level. Throws Unfinished. */
export function payFor (node: SyntaxNode, budget: Budget): void {
  if (node.type === 'Word') budget.open(node.text)
  else if (node.type === 'Command' && node.name !== undefined) budget.open(node.name.text)
  else budget.spend(1 + ((node.end - node.pos) >> (node.type.endsWith('Expansion') ? 2 : 4)))
}

/** Returns whether a function starts itself more than once each time, without end. Throws Unfinished. */
export function isForkBomb ({ name, body }: Function, budget: Budget): boolean {
  const callsItself = (child: SyntaxNode, multiplied: boolean): boolean => {
    payFor(child, budget)
    if (child.type === 'Command' && child.name?.value === name.value) return multiplied
    let found = false
    const inside = multiplied || child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true)
    forEachChild(child, (grandchild) => { found ||= callsItself(grandchild, inside) })
    return found
  }
  return callsItself(body, false)
}

/** Returns whether this node may still run while the rest of the line does. */
export const runsBeside = (node: SyntaxNode): boolean => node.type === 'Coproc' || node.type === 'ProcessSubstitution' ||
  (node.type === 'Statement' && node.background === true)

/** Returns the parts of which one runs at most. `isComplete`: one of them certainly runs. */
export function branchesOf (node: If | Case): { branches: SyntaxNode[][], isComplete: boolean } {
  if (node.type === 'Case') {
    const isComplete = node.items.some(({ pattern }) => pattern.some(({ text }) => text === '*'))
    return { branches: node.items.map((item) => [item]), isComplete }
  }
  const last = node.else === undefined ? [] : [[node.else]]
  return { branches: [[node.then], ...node.elif.map(({ clause, then }) => [clause, then]), ...last], isComplete: node.else !== undefined }
}
