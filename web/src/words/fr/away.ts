import { type Words } from '../en/index.js'

const messages = (count: number): string => count < 2 ? `${count} message attend` : `${count} messages attendent`
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} et ${parts.at(-1) ?? ''}`
const named = (before: string, name: string | null, after = ''): string => name === null ? `${before}${after}` : `${before} (${name})${after}`

export const away: Words['away'] = {
  all: 'Tout voir',
  later: 'À venir',
  empty: 'Rien en cours, en attente ni terminé',
  emptyText: 'Ce que fait l’agent en votre absence s’affiche ici.',
  counted: {
    waiting: (count) => count < 2 ? `${count} vous attend` : `${count} vous attendent`,
    running: (count) => `${count} en cours`,
    queued: (count) => `${count} en file d’attente`,
    ended: (count) => count < 2 ? `${count} terminé` : `${count} terminés`
  },
  listed: (parts) => `${joined(parts)}.`,
  works: 'L’agent travaille.',
  parked: (provider, when) => when === null
    ? `${provider} a atteint sa limite. Le tour attend que vous décidiez de la suite.`
    : `${provider} a atteint sa limite, jusqu’à ${when}. Le tour reprendra ensuite automatiquement.`,
  decide: 'Décider',
  cannotContinue: (provider) => `Le tour n’a pas pu continuer avec ${provider} et attend que vous décidiez de la suite.`,
  worksOn: (what) => `Travaille sur : ${what}`,
  stop: 'Arrêter',
  stopIt: (title) => `Arrêter « ${title} »`,
  silent: (span, cause) => `Aucun signe depuis ${span} : ${cause}.`,
  causes: {
    model: (name) => `${name ?? 'le modèle'} n’a pas encore répondu`,
    command: (line) => named('une commande s’exécute sans rien afficher', line),
    tool: (name) => named('un outil n’a pas encore répondu', name),
    sub_agent: () => 'un sous-agent travaille',
    person: () => 'votre réponse est attendue'
  },
  behind: (count) => `${messages(count)} la fin du tour précédent, puis ${count < 2 ? 'partira' : 'partiront'} automatiquement.`,
  notBefore: (count, when) => `${messages(count)} jusqu’à ${when}.`,
  held: (count, reason) => {
    if (reason === 'waiting') return `${messages(count)} la fin du tour en cours, qui attend votre réponse.`
    if (reason === 'limit') return `${messages(count)} la fin du tour en cours, qui attend son fournisseur.`
    const why: Readonly<Record<string, string>> = {
      failed: 'le tour précédent a échoué', cancelled: 'vous avez arrêté le tour précédent', budget: 'le budget est épuisé',
      restored: 'une sauvegarde a été restaurée'
    }
    return `${messages(count)} votre décision : ${why[reason] ?? 'la file est en pause'}.`
  },
  runs: 'Ils démarrent dès qu’un tour en cours se termine.',
  next: (when) => `Prochaine exécution : ${when}.`
}
