import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** A job with something on each tab of its UI, which ends once `finish` is among its steps; arguments as of EventLogJob. */
public class UiJob {
  public static void main(String[] arguments) throws Exception {
    Path steps = Files.createDirectories(Paths.get(arguments[0]));
    SparkSession spark = SparkSession.builder().getOrCreate();
    spark.range(1000).selectExpr("id % 7 as day", "id").createOrReplaceTempView("visits");
    spark.sql("cache table days as select day, count(*) as visits from visits group by day");
    spark.sql("select * from days where visits > 1 order by visits").collectAsList();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    context.parallelize(Arrays.asList(1, 2, 3), 3).cache().count();
    Files.createFile(steps.resolve("ready"));
    while (!Files.exists(steps.resolve("finish"))) {
      Thread.sleep(50);
    }
    spark.stop();
  }
}
