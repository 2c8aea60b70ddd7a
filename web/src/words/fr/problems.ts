import { type Words } from '../en/index.js'

export const problems: Words['problems'] = {
  cut: {
    length: 'La réponse a atteint sa longueur maximale.',
    content_filter: 'Le fournisseur a coupé cette réponse. Formulez autrement ou choisissez un autre modèle.',
    budget_exhausted: 'Le budget est épuisé. Envoyez « continue » pour être consulté de nouveau, ou changez-le dans Consommation.',
    other: 'La réponse est incomplète.'
  },
  goOn: 'Continuer',
  toModels: 'Vérifier dans Modèles',
  toAgents: 'Vérifier dans Réglages, Autorisations',
  labelled: (label) => `${label}.`,
  label: {
    rate_limit: 'Limite de requêtes',
    quota_exhausted: 'Quota épuisé',
    auth_mismatch: 'Accès refusé',
    model_not_found: 'Modèle introuvable',
    mode_not_allowed: 'Non autorisé',
    no_response: 'Pas de réponse',
    answer_too_large: 'Réponse trop longue',
    compression_exhausted: 'Discussion trop longue',
    format_missed: 'Format incorrect',
    unsupported: 'Non pris en charge',
    interrupted: 'Interrompu',
    cancelled: 'Arrêté',
    error: 'Erreur'
  },
  said: {
    auth_mismatch: (provider) => `${provider} a refusé la clé.`,
    quota_exhausted: (provider) => `Le compte chez ${provider} n’a plus de quota.`,
    rate_limit: (provider) => `${provider} n’accepte plus de requêtes pour le moment.`,
    model_not_found: (provider, model) => `${provider} ne connaît pas le modèle ${model}.`,
    no_response: (provider) => `${provider} n’a pas répondu, ou s’est interrompu au milieu de sa réponse.`
  },
  next: {
    rate_limit: 'Attendez un moment et réessayez.',
    quota_exhausted: 'Ajoutez du crédit chez le fournisseur ou choisissez-en un autre.',
    auth_mismatch: 'Vérifiez la clé de ce fournisseur.',
    model_not_found: 'Choisissez un autre modèle.',
    mode_not_allowed: 'Choisissez un autre mode ou autorisez celui-ci.',
    no_response: 'Vérifiez que le fournisseur fonctionne et est joignable, puis réessayez.',
    answer_too_large: 'Ce qui a été reçu est conservé. Demandez moins à la fois.',
    compression_exhausted: 'Commencez une nouvelle discussion ou choisissez un modèle avec un contexte plus grand.',
    format_missed: 'Réessayez ou choisissez un autre modèle.',
    unsupported: 'Choisissez un autre modèle.',
    interrupted: 'Ce qui a été écrit est conservé. Réessayez.',
    cancelled: 'Vous pouvez réessayer.',
    error: 'Réessayez ou choisissez un autre modèle.'
  }
}
