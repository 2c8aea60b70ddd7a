import { type Words } from '../en/index.js'

export const profiles: Words['profiles'] = {
  note: 'Un profil a ses propres modèles, clés, mémoire et réglages. Celui que vous choisissez vaut pour ce navigateur.',
  toMemory: 'Persona et notes du profil actuel',
  single: 'Ce service n’a qu’un profil.',
  active: 'Utilisé',
  usual: 'Par défaut',
  hidden: 'Masqué',
  running: 'L’agent travaille',
  facts: (model, skills, all) => `${model} · ${skills} skills sur ${all}`,
  noModel: 'Aucun modèle',
  keys: 'A ses propres clés',
  switch: 'Utiliser ce profil',
  create: 'Créer un profil',
  name: 'Nom',
  nameHint: 'Lettres minuscules, chiffres, - et _, en commençant par une lettre ou un chiffre.',
  wrongName: 'Lettres minuscules, chiffres, - et _, 64 au plus, en commençant par une lettre ou un chiffre.',
  from: 'Partir de',
  nothing: 'Rien',
  copyOf: (name) => `Une copie de « ${name} » (réglages, clés, persona)`,
  created: (name) => `« ${name} » est créé.`,
  clone: 'Copier',
  remove: 'Supprimer',
  removeTitle: (name) => `Supprimer « ${name} »`,
  removeNote: 'Son dossier est conservé 30 jours, sans ses clés. Ses discussions restent. Saisissez son nom pour continuer.',
  removed: (name) => `« ${name} » est supprimé. Son dossier est conservé 30 jours.`
}
