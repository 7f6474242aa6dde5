import { schemes, useScheme } from '../../shell/scheme.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Radio } from '../../ui/Field.tsx'
import { Card } from '../../ui/Page.tsx'
import styles from './account.module.css'

/** Applies at once. */
export function AppearanceCard() {
  const t = useTexts('account').appearance
  const [scheme, choose] = useScheme()
  return (
    <Card title={t.heading} intro={t.intro}>
      <fieldset className={styles.choices}>
        <legend className="unseen">{t.heading}</legend>
        {schemes.map((each) => (
          <Radio key={each} name="scheme" label={t[each]} checked={scheme === each} onChange={() => choose(each)} />
        ))}
      </fieldset>
    </Card>
  )
}
