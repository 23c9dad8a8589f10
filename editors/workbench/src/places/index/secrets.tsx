/** Where secrets were taken out, by rule and file; never the secrets. */
import type { SecretFinding } from "../../../../vscode/src/contract.gen";
import { usePages } from "../../pages";
import { openFile } from "../../parts/open";
import { chosenRoot } from "../../parts/root";
import { Answered, Empty, Trouble } from "../../parts/states";
import { VirtualList } from "../../parts/virtual";
import { indexChanges, uriOf } from "../../session";
import { t } from "../../texts";

export function SecretsSection() {
  const { rows, first, more, error } = usePages("contexture.index.secrets", { ...chosenRoot(), limit: 200 }, {
    rowsOf: (page) => page.findings,
    keyOf: (f: SecretFinding) => `${f.rule} ${f.path}`,
    nextOf: (page) => page.next,
    from: (a, after) => ({ ...a, after }),
    orderOf: () => "",
    changes: indexChanges,
  });
  return (
    <section>
      <h2 class="unseen">{t("index.section.secrets")}</h2>
      <Answered answer={first}>
        {(page) =>
          rows.length ? (
            <>
              <p class="quiet section-note">{t("index.secretsFound", { n: page.total })}</p>
              <VirtualList
                count={rows.length}
                estimate={36}
                label={t("index.section.secrets")}
                keyOf={(i) => `${rows[i]?.rule ?? ""} ${rows[i]?.path ?? ""}`}
                onEnd={more}
                row={(i) => {
                  const f = rows[i];
                  return (
                    f && (
                      <div class="secret">
                        <button type="button" class="link mono" dir="ltr" aria-label={t("action.openFile", { name: f.path })} onClick={() => openFile(uriOf(f.path))}>
                          {f.path}
                        </button>
                        <span class="quiet mono">{f.rule}</span>
                        <span class="number quiet">{t("index.times", { n: f.count })}</span>
                      </div>
                    )
                  );
                }}
              />
            </>
          ) : (
            <Empty icon="check" title={t("index.noSecrets")}>
              {t("index.noSecretText")}
            </Empty>
          )
        }
      </Answered>
      {error && <Trouble error={error} retry={more} />}
    </section>
  );
}
