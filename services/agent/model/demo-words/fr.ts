import { code, type DemoWords, formula } from './words.js'

export const fr: DemoWords = {
  asks: {
    change: /^montre-moi une modification/i, question: /^montre-moi une question/i, long: /^montre-moi une longue réponse/i,
    task: /^montre-moi une tâche/i
  },
  notice: 'Cette réponse suit des règles fixes ; elle ne vient d’aucun modèle d’IA.',
  notUnderstood: `Je ne comprends pas le texte libre, mais je peux vous montrer comment on travaille ici :

- une modification que vous autorisez
- une question à laquelle vous répondez
- une longue réponse avec un tableau et du code
- une tâche qui s’exécute chaque matin

Choisissez-en une, ou envoyez ses mots, par exemple « Montre-moi une question ». Dès que vous connectez un modèle, il répond à tout ce que vous écrivez.`,
  failed: (quoted) => `Cela n’a pas marché :\n\n${quoted}`,
  change: {
    begin: 'Je tiens une petite liste de bagages dans le dossier de cette discussion. Je regarde d’abord ce qu’il y a, ce qui ne demande aucune autorisation.',
    file: '# Liste de bagages\n\n- [ ] Passeport\n- [ ] Chargeur\n- [ ] Veste de pluie\n',
    make: 'J’écris maintenant la liste. La carte montre le fichier entier ; rien n’est écrit avant votre autorisation.',
    made: 'La liste est là. Je coche maintenant son premier élément : la carte montre la ligne avant et après.',
    again: 'Je coche l’élément suivant. La carte montre ce qui change ; rien n’est écrit avant votre autorisation.',
    done: 'C’est fait : `demo-list.md` est modifié. **Annuler**, plus bas, revient en arrière, et **Relire** montre ce qui a changé.\n\n' +
      'Un modèle travaille de la même façon : il propose, vous voyez la modification elle-même, et vous décidez.',
    denied: 'Vous avez refusé : rien n’a été écrit. Un modèle chercherait maintenant un autre moyen, ou vous poserait la question.'
  },
  question: {
    begin: 'Parfois, vous seul connaissez la réponse. Le travail s’arrête alors et vous demande.',
    question: 'Vos sauvegardes ont de la place pour 7 ou pour 30 jours. Combien dois-je en garder ?',
    choices: ['7 jours', '30 jours'],
    answered: (answer) => `Vous avez répondu **${answer}** : c’est donc avec cela que je continuerais.\n\n` +
      'Une question est aussi dans « À traiter » et sur votre téléphone, et vous pouvez répondre avec vos propres mots. Sans réponse à temps, ' +
      'le travail continue avec une hypothèse et dit laquelle.',
    nobody: 'Personne n’a répondu à temps : je continuerais donc avec la durée la plus longue, qui ne fait rien perdre.'
  },
  long: `## Ce que deviennent 100 par mois

Mettez 100 de côté chaque mois à 4 % par an, et plus vous attendez, plus les intérêts composés font le travail :

| Années | Versé | Épargné | Dont intérêts |
|---:|---:|---:|---:|
| 5 | 6 000 | 6 630 | 10 % |
| 10 | 12 000 | 14 725 | 19 % |
| 20 | 24 000 | 36 677 | 35 % |
| 30 | 36 000 | 69 405 | 48 % |

### D’où viennent ces chiffres

Avec un versement $d$ par mois, un taux mensuel $i$ et $n$ mois :

${formula}

La même chose en JavaScript, que le bouton dans le coin permet de copier :

${code}

### Avant de vous y fier

1. **Les prix montent aussi.** Avec 2 % d’inflation, 69 405 permettent d’acheter dans 30 ans ce qu’environ 38 000 achètent aujourd’hui.
2. **Les taux changent.** Un demi-point de plus ou de moins déplace la dernière ligne d’environ 9 %.
3. **Les frais** comptent comme un taux plus bas.

> Un modèle écrit ce genre de réponse à votre propre question, et peut mettre le tableau dans un fichier pour vous.`,
  task: {
    begin: 'Une tâche s’exécute d’elle-même à ses heures. Je regarde d’abord si elle existe déjà.',
    name: 'Bonjour',
    prompt: 'Dis bonjour, et cite une petite chose qui vaut la peine d’être faite aujourd’hui.',
    make: 'Elle n’existe pas encore. La carte montre ce qu’elle fera et quand elle s’exécutera.',
    done: 'La tâche est là, et s’exécute chaque matin à 8:00. **Tâches** montre ses prochaines exécutions et ses résultats ; ' +
      'vous pouvez l’y suspendre, la modifier avec vos propres mots ou la supprimer.\n\nPour mettre fin à cette démo : ouvrez **Tâches**, puis *Bonjour*, et supprimez-la.',
    exists: 'Elle existe déjà : *Bonjour*, chaque matin à 8:00. Ouvrez **Tâches** pour voir ses prochaines exécutions, l’exécuter maintenant, la suspendre ou la supprimer.',
    denied: 'Vous avez refusé : il n’y a donc pas de tâche. Vous pouvez aussi en créer une vous-même, en mots simples, dans **Tâches**.',
    run: 'Bonjour ! Une petite chose pour aujourd’hui : connectez un modèle dans **Modèles**, et cette tâche dira chaque jour quelque chose de nouveau.'
  }
}
