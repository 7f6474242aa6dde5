import { useTexts } from '../../texts/use-texts.ts'

/** What a policy asks for and a member has not. */
export function useLackText() {
  const { second_factor, password, domain } = useTexts('policy').lacks
  const texts = { second_factor, password, domain }
  return (lack: keyof typeof texts): string => texts[lack]
}
