import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { sayInFrench } from '../../../../schedules/french.js'
import { type ZonedTime } from '../../tasks/zoned-time.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('fr'))
const day = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('fr', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00Z`))
const dayMonth = (date: string): string => day(date, { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '')
const dollars = dollarsIn('fr', 0.01)
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} et ${names.at(-1) ?? ''}`

export const tasks: Words['tasks'] = {
  create: 'Nouvelle tâche',
  isNew: 'nouvelle',
  edited: 'non enregistrée',
  ways: { label: 'Ce qui lance le travail', times: 'À heures fixes', calls: 'Sur appel' },
  list: 'Tâches',
  paused: 'En pause',
  finished: 'Terminées',
  back: 'Toutes les tâches',
  gone: 'Cette tâche n’existe plus. Choisissez-en une autre.',
  allProfiles: 'Tâches de tous les profils',
  empty: 'Rien n’est encore planifié',
  emptyText: 'Une tâche est un message que l’agent reçoit à heures fixes, même en votre absence.',
  exampleButton: (name) => `Essayez-en une : ${name}`,
  example: {
    name: 'Tour du matin',
    prompt: 'Parcours le dossier. Qu’est-ce qui a changé depuis hier, et que faut-il faire ensuite ? Dix lignes au plus.',
    schedule: 'en semaine le matin'
  },
  states: {
    running: 'en cours', queued: 'en file d’attente', paused: 'en pause', completed: 'terminée', failed: 'en échec', undelivered: 'non livrée',
    blocked: 'réglages invalides', scheduled: 'active'
  },
  runNow: 'Exécuter maintenant',
  runsAlready: 'Elle est déjà en cours.',
  actionsOf: (name) => `Actions pour ${name}`,
  pause: 'Suspendre',
  resume: 'Reprendre',
  pausedToast: (name) => `« ${name} » est en pause.`,
  deleted: (name) => `« ${name} » est supprimée.`,
  deleteTitle: 'Supprimer cette tâche ?',
  deleteText: (name) => `Ses résultats sont supprimés aussi et ne peuvent pas être restaurés : « ${name} ».`,
  skipped: (at) => `Ignorée : ${at}.`,
  told: {
    ended: (name) => `« ${name} » s’est exécutée.`,
    failed: (name) => `« ${name} » a échoué.`,
    skipped: (name) => `« ${name} » a été ignorée.`,
    open: 'Afficher'
  },
  times: (done, times) => `${done} exécutions sur ${times}`,
  streak: (runs) => `${runs} fois de suite.`,
  toChat: 'Ouvrir la dernière discussion',
  runs: 'Résultats',
  noRuns: 'Aucun résultat pour l’instant. Chaque exécution ajoute ici sa réponse.',
  moreRuns: (count) => `Afficher les plus anciens (${count})`,
  went: 'terminée',
  used: (tokens, cost) => cost === null || cost === 0 ? `${number.format(tokens)} tokens` : dollars(cost),
  cost: (run, month) => `environ ${dollars(run)} par exécution${month === null ? '' : `, ${dollars(month)} par mois`}`,
  name: 'Nom',
  prompt: 'Que doit-il se passer ?',
  promptPlaceholder: 'Parcours le dossier et dis ce qu’il faut faire ensuite.',
  promptHint: 'Dans le message, {{last_output}} représente la réponse de la dernière exécution.',
  schedule: 'Quand ?',
  hour: 'Heure',
  meant: 'Vouliez-vous dire',
  inZone: (zone) => zone === 'UTC' ? 'en UTC' : `heure de ${zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone}`,
  once: (at) => `Une fois, ${at}`,
  weekday: (date) => day(date, { weekday: 'short' }),
  daysLabel: (dates) =>
    dates.length === 0 ? 'Ne s’exécute pas dans les deux prochaines semaines' : `S’exécute dans les deux prochaines semaines : ${dates.map(dayMonth).join(', ')}`,
  nextRuns: (next, [first, ...rest]: readonly ZonedTime[]) => {
    const others = rest.map(({ date, time }) => date === first?.date ? time : time === first?.time ? dayMonth(date) : `${dayMonth(date)} à ${time}`)
    return `Prochaine fois : ${next}${others.length === 0 ? '' : `, puis ${listed(others)}`}`
  },
  fiveMore: 'Cinq de plus',
  fewer: 'Moins',
  scheduleRefused: {
    schedule_unclear: 'Cet horaire n’est pas encore compris. Indiquez des jours et une heure, ou un intervalle : « en semaine le matin », « toutes les 2 heures ».',
    schedule_cron: 'Cette expression cron est illisible. Elle a cinq parties : minute, heure, jour, mois et jour de la semaine.',
    schedule_never: 'Aucune date n’y correspond.',
    schedule_past: 'Ce moment est passé. Choisissez-en un à venir.'
  },
  say: sayInFrench,
  examples: 'Exemples',
  scheduleExamples: ['en semaine le matin', 'tous les jours à 18:30', 'un mardi sur deux à 7 h', 'le 1er de chaque mois', 'dans deux heures'],
  delivery: 'Où va la réponse ?',
  deliveries: { local: 'Accueil', origin: 'Une discussion', push: 'Mes appareils', webhook: 'Webhook' },
  deliveryNotes: {
    local: 'Elle reste ici, sous Résultats.',
    origin: 'Dans la discussion où vous avez créé cette tâche.',
    push: 'En notification à chaque navigateur qui les a activées.'
  },
  webhook: 'Adresse du webhook',
  webhookHint: 'Chaque résultat y est envoyé en JSON signé.',
  model: 'Modèle',
  usualModel: 'Modèle par défaut',
  otherModel: 'Autre modèle…',
  profile: 'Profil',
  thisProfile: 'Celui-ci',
  workspace: 'Dossier',
  folderTitle: 'Dossier de la tâche',
  usualFolder: 'Dossier par défaut',
  otherFolder: 'Autre dossier…',
  addSkill: 'Ajouter un skill',
  removeSkill: (name) => `Retirer le skill ${name}`,
  advanced: 'Avancé',
  cron: 'Expression cron',
  cronHint: 'Minute, heure, jour, mois, jour de la semaine. Elle remplace les mots ci-dessus.',
  repeat: 'Combien de fois',
  forever: 'Sans limite',
  ask: 'S’il faut une autorisation',
  asks: { wait: 'M’attendre', deny: 'Continuer sans' },
  toast: 'Me prévenir à la fin d’une exécution',
  save: 'Enregistrer la tâche',
  tryNow: 'Essayer maintenant',
  saveAndTry: 'Enregistrer et essayer maintenant',
  discard: 'Abandonner les modifications',
  saved: (name) => `« ${name} » est enregistrée.`,
  savedNext: (name, at) => `« ${name} » est enregistrée. Prochaine exécution : ${at}.`
}
